// Reads what was done, by whom, from where and on what, and how often authentication was refused; newest first.
import type { RefusalCount, RefusalFilters } from '../../domain/audit/attempt.ts'
import type { AuditEntry, AuditFilters } from '../../domain/audit/audit.ts'
import type { Administrator } from '../../domain/caller.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { type ListPage, type ListRequest, readPage } from '../reading/read-page.ts'

type AuditPorts = Pick<Ports, 'audit' | 'secrets'>

/** One page of the entries of the audit log that the filters ask for. */
export const listAudit = (
  ports: AuditPorts,
  reader: Administrator,
  request: ListRequest<AuditFilters>,
): Promise<OrRefusal<ListPage<AuditEntry>>> =>
  readPage(ports, 'audit', { reader, request, read: page => ports.audit.list(page) })

/** One page of the counts of refused attempts that the filters ask for: by what was presented, client, address and minute. */
export const listRefusals = (
  ports: AuditPorts,
  reader: Administrator,
  request: ListRequest<RefusalFilters>,
): Promise<OrRefusal<ListPage<RefusalCount>>> =>
  readPage(ports, 'refusals', { reader, request, read: page => ports.audit.listRefusals(page) })
