// What the operations on usage do, and on where tokens are used.
import * as api from '../../../../api/usage.ts'
import { PAGE_RECORDS_DEFAULT } from '../../../../api/values/lists.ts'
import { refusalsRecord } from '../../domain/clients/agent-refusals.ts'
import { usageRecord } from '../../domain/clients/agent-usage.ts'
import { lateUseRecord, tokenUseRecord } from '../../domain/clients/token-use.ts'
import { seriesRecord } from '../../domain/clients/usage-series.ts'
import { listLateUses, listUses } from '../../operations/list-uses.ts'
import { readSeries } from '../../operations/read-series.ts'
import type { QueryOf } from '../../../../api/operation.ts'
import { statusOf } from '../wire/error-reference.ts'
import { bind, bindList } from './binding.ts'

type Filters = Pick<QueryOf<typeof api.listUses>, 'agent_id' | 'api_key_id' | 'since' | 'before'>

const filtersOf = (query: Filters) => ({
  agentId: query.agent_id ?? null,
  apiKeyId: query.api_key_id ?? null,
  since: query.since ?? null,
  before: query.before ?? null,
})

export const bindings = [
  bind(api.listAgentUsage, {
    run: async ({ usage }, _origin, { query: { limit = PAGE_RECORDS_DEFAULT, agent_id: ids } }) => ({
      usages: ids === undefined ? await usage.list(limit) : await usage.listEach(ids, limit),
    }),
    answer: ({ usages }) => ({ data: usages.map(usageRecord) }),
  }),
  bind(api.listRefusedRequests, {
    run: async ({ usage }, _origin, { query: { over = '1h', agent_id: agentId = null, limit } }) => ({
      refusals: await usage.listRefusals({ over, agentId }),
      limit: limit ?? PAGE_RECORDS_DEFAULT,
    }),
    answer: listed => refusalsRecord(listed, statusOf),
  }),
  bindList(api.listUses, { filtersOf, list: listUses, format: tokenUseRecord }),
  bindList(api.listUsesAfterEnd, {
    filtersOf: query => ({ ...filtersOf(query), tokenId: query.token_id ?? null }),
    list: listLateUses,
    format: lateUseRecord,
  }),
  bind(api.showUsageSeries, {
    run: (ports, _origin, { query }) =>
      readSeries(ports, { over: query.over ?? '1h', agentId: query.agent_id ?? null }),
    answer: seriesRecord,
  }),
]
