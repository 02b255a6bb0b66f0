// Reads what was done, by whom, from where and on what, and how often authentication was refused; newest first.
import type { RefusalCount, RefusalFilters } from '../../domain/audit/attempt.ts'
import type { AuditEntry, AuditFilters } from '../../domain/audit/audit.ts'
import type { Administrator } from '../../domain/caller.ts'
import type { SealCheck } from '../../domain/audit/seal.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
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

/** Checks the seals after this one and what they cover, as much of it as a request may. */
export const checkSeals = async (
  { auditSeals }: Pick<Ports, 'auditSeals'>,
  after: number,
): Promise<OrRefusal<SealCheck>> => {
  const check = await auditSeals.check(after)
  return check === 'unknown'
    ? refuse('invalid_request', `after_seal is ${after}; expected a seal that was made.`)
    : check
}
