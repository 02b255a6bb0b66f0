// What the operations on the audit log do.
import { toAddress } from '../wire/forwarded.ts'
import * as api from '../../../../api/audit.ts'
import type { QueryOf } from '../../../../api/operation.ts'
import { ACT_KINDS } from '../../../../api/values/audit.ts'
import { sealCheckRecord } from '../../domain/audit/seal.ts'
import { refusalRecord } from '../../domain/audit/attempt.ts'
import { type AuditFilters, entryRecord } from '../../domain/audit/audit.ts'
import { checkSeals, listAudit, listRefusals } from '../../operations/audit/read-audit.ts'
import { bind, bindList } from './binding.ts'

export const auditFiltersOf = (query: Omit<QueryOf<typeof api.listAudit>, 'limit' | 'cursor'>): AuditFilters => ({
  kind: query.kind ?? null,
  actorType: query.actor_type ?? null,
  actorId: query.actor_id ?? null,
  actorIss: query.actor_iss ?? null,
  actorSub: query.actor_sub ?? null,
  subject: query.subject ?? null,
  requestId: query.request_id ?? null,
  endedToken: query.ended_token ?? null,
  since: query.since ?? null,
  before: query.before ?? null,
})

export const bindings = [
  bindList(api.listAudit, {
    filtersOf: auditFiltersOf,
    list: listAudit,
    format: entryRecord,
    unknownIn: ({ kind }) => (kind === undefined || ACT_KINDS.some(known => known === kind) ? [] : [kind]),
  }),
  bind(api.checkSeals, {
    run: (ports, _, { query }) => checkSeals(ports, query.after_seal ?? 0),
    answer: sealCheckRecord,
  }),
  bindList(api.listRefusals, {
    filtersOf: query => ({
      way: query.way ?? null,
      clientId: query.client_id ?? null,
      source: query.source === undefined ? null : (toAddress(query.source) ?? query.source),
      since: query.since ?? null,
      before: query.before ?? null,
    }),
    list: listRefusals,
    format: refusalRecord,
  }),
]
