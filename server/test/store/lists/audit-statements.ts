// The statements by which the audit log is read, each of the list that asks for it.
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
    log.list({ ...FIRST, filters: { ...NO_AUDIT_FILTERS, ...asked } })

const refusals = (log: Log): Promise<unknown> =>
  log.listRefusals({ ...FIRST, filters: { way: null, clientId: null, source: null, since: null, before: null } })

/** Each with the index that it has to seek in; `column` leads there, null: the time. */
export const AUDIT_READS: readonly {
  readonly table: string
  readonly index: string
  readonly column: string | null
  readonly read: (log: Log) => Promise<unknown>
}[] = [
  { table: 'refused', index: 'refused_at', column: null, read: refusals },
  { table: 'audit', index: 'audit_at', column: null, read: entries({}) },
  {
    table: 'audit',
    index: 'audit_request',
    column: 'request_id',
    read: entries({ requestId: 'r', kind: 'agent.create' }),
  },
  { table: 'audit', index: 'audit_subject', column: 'subject', read: entries({ subject: 's', kind: 'agent.create' }) },
  {
    table: 'audit',
    index: 'audit_actor',
    column: 'actor',
    read: entries({ actorType: 'cli', actorId: 'one', kind: 'agent.create' }),
  },
  { table: 'audit', index: 'audit_kind', column: 'kind', read: entries({ kind: 'agent.create' }) },
]

/** The statements of one of them that read its table. */
export const statementsOfRead = async (
  { audit }: Pick<TestedStore, 'audit'>,
  { table, read }: (typeof AUDIT_READS)[number],
): Promise<readonly string[]> => {
  const asked = await statementsDuring(() => read(audit))
  return asked.filter(text => text.includes(` from ${table} `))
}
