// What the operations on tokens do.
import * as explanations from '../../../../api/explanations.ts'
import * as api from '../../../../api/tokens.ts'
import type { QueryOf } from '../../../../api/operation.ts'
import { formatExplanation } from '../../domain/ledger/format-explanation.ts'
import { formatEndedRecord, formatLife, formatMember, formatRecord } from '../../domain/ledger/format-token.ts'
import { isRefused } from '../../domain/refusal.ts'
import type { HistoryFilters, TokenFilters } from '../../domain/lists/page.ts'
import { explainToken, explainTokenText } from '../../operations/tokens/explain-token.ts'
import {
  countHistory,
  countTokens,
  listHistory,
  listLineage,
  listTokens,
  showToken,
  type TokenCount,
} from '../../operations/tokens/read-tokens.ts'
import { revokeTokenById } from '../../operations/tokens/revoke-token-by-id.ts'
import type { Asked } from '../../operations/tokens/select-agents.ts'
import { bind, bindList } from './binding.ts'

type TokensQuery = Omit<QueryOf<typeof api.listTokens>, 'limit' | 'cursor'>
type HistoryQuery = Omit<QueryOf<typeof api.listHistory>, 'limit' | 'cursor'>

export const tokenFiltersOf = (query: TokensQuery): Asked<TokenFilters> => ({
  agentId: query.agent_id ?? null,
  clientId: query.client_id ?? null,
  scope: query.scope ?? null,
  issuedAfter: query.issued_after ?? null,
  issuedBefore: query.issued_before ?? null,
  subjectId: query.subject ?? null,
  parentId: query.parent_id ?? null,
  rootId: query.root_id ?? null,
  credentialId: query.credential_id ?? null,
  kid: query.kid ?? null,
  audience: query.audience ?? null,
  owner: query.owner ?? null,
  labels: query.label ?? null,
  agentName: query.agent_name ?? null,
})

export const historyFiltersOf = (query: HistoryQuery): Asked<HistoryFilters> => ({
  ...tokenFiltersOf(query),
  reasons: query.termination_reason?.known ?? null,
  endedAfter: query.ended_after ?? null,
  endedBefore: query.ended_before ?? null,
  endedBy: query.ended_by ?? null,
  revocationId: query.revocation_id ?? null,
})

const formatCount = ({ count, isExact }: TokenCount) => ({ count, exact: isExact })

export const bindings = [
  bindList(api.listTokens, { filtersOf: tokenFiltersOf, list: listTokens, format: formatRecord }),
  bindList(api.listHistory, {
    filtersOf: historyFiltersOf,
    list: listHistory,
    format: formatEndedRecord,
    unknownIn: query => query.termination_reason?.unknown ?? [],
  }),
  bind(api.countTokens, {
    run: (ports, { caller }, { query }) => countTokens(ports, caller, tokenFiltersOf(query)),
    answer: formatCount,
  }),
  bind(api.countHistory, {
    run: async (ports, { caller }, { query }) => {
      const counted = await countHistory(ports, caller, historyFiltersOf(query))
      return isRefused(counted) ? counted : { ...counted, unknown: query.termination_reason?.unknown ?? [] }
    },
    answer: counted => ({
      ...formatCount(counted),
      ...(counted.unknown.length > 0 && { unknown: [...counted.unknown] }),
    }),
  }),
  bindList(api.listLineage, {
    filtersOf: (_query, path) => ({ memberId: path.id }),
    list: listLineage,
    format: formatMember,
  }),
  bind(api.showToken, { run: (ports, { caller }, { path }) => showToken(ports, caller, path.id), answer: formatLife }),
  bind(explanations.explainToken, {
    run: (ports, { caller }, { path }) => explainToken(ports, caller, path.id),
    answer: formatExplanation,
  }),
  bind(explanations.explainTokenText, {
    run: (ports, { caller }, { body }) => explainTokenText(ports, caller, body.token),
    answer: formatExplanation,
  }),
  bind(api.revokeTokenById, {
    run: (ports, origin, { path, body: { reason, note = null } }) =>
      revokeTokenById(ports, origin, path.id, { reason, note }),
    answer: revoked => ({ ...formatLife(revoked), changed: revoked.changed }),
  }),
]
