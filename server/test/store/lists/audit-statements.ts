// The statements by which pages of the audit log are read.
import type { AuditFilters } from '../../../src/domain/audit/audit.ts'
import { statementsDuring } from '../../../../testkit/stores/asked-statements.ts'
import type { TestedStore } from '../../../../testkit/stores/store.ts'

export const NO_AUDIT_FILTERS: AuditFilters = {
  kind: null,
  actorType: null,
  actorId: null,
  actorIss: null,
  actorSub: null,
  subject: null,
  requestId: null,
  endedToken: null,
  since: null,
  before: null,
}

type Log = TestedStore['audit']

const FIRST = { audiences: null, after: null, limit: 10 }

const entries =
  (asked: Partial<AuditFilters>) =>
  (log: Log): Promise<unknown> =>
    log.list({ ...FIRST, filters: { ...NO_AUDIT_FILTERS, kind: 'agent.create', ...asked } })

const refusals = (log: Log): Promise<unknown> =>
  log.listRefusals({ ...FIRST, filters: { way: null, clientId: null, source: null, since: null, before: null } })

/** What is read by each index, and the column that leads there; null: the time. */
export const AUDIT_READS: readonly (readonly [index: string, column: string | null, read: typeof refusals])[] = [
  ['refused_at', null, refusals],
  ['audit_at', null, entries({ kind: null })],
  ['audit_request', 'request_id', entries({ requestId: 'one', subject: 'one' })],
  ['audit_subject', 'subject', entries({ subject: 'one', actorType: 'system' })],
  ['audit_actor', 'actor', entries({ actorType: 'cli', actorId: 'one' })],
  ['audit_kind', 'kind', entries({})],
]

export const statementsOfRead = (
  { audit }: Pick<TestedStore, 'audit'>,
  read: typeof refusals,
): Promise<readonly string[]> => statementsDuring(() => read(audit), / from (?:audit|refused) /)
