// Exports the audit log: every entry that the filters ask for, newest first.
import type { AuditEntry, AuditFilters } from '../../domain/audit/audit.ts'
import type { Ports } from '../../ports/ports.ts'
import { exportPages, type ExportReader, type NextPage } from '../reading/export-pages.ts'
import { listAudit } from './list-audit.ts'

/** Every entry that was there when the export began. */
export const exportAudit = (
  ports: Pick<Ports, 'audit' | 'secrets'>,
  caller: ExportReader,
  filters: AuditFilters,
): NextPage<AuditEntry> =>
  exportPages(caller, { filters, list: (reader, request) => listAudit(ports, reader, request) })
