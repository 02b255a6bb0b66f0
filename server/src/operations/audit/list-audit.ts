// Lists the audit log: what was done, by whom, from where and on what, newest first.
import type { AuditEntry, AuditFilters } from '../../domain/audit/audit.ts'
import type { Administrator } from '../../domain/caller.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { type ListPage, type ListRequest, readPage } from '../reading/read-page.ts'

/** One page of the entries that the filters ask for. */
export const listAudit = (
  ports: Pick<Ports, 'audit' | 'secrets'>,
  reader: Administrator,
  request: ListRequest<AuditFilters>,
): Promise<OrRefusal<ListPage<AuditEntry>>> =>
  readPage(ports, 'audit', { reader, request, read: page => ports.audit.list(page) })
