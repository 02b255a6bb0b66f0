// What the operations on usage do.
import * as api from '../../../../api/usage.ts'
import { PAGE_RECORDS_DEFAULT } from '../../../../api/values/lists.ts'
import { usageRecord } from '../../domain/clients/agent-usage.ts'
import { listAgentUsage } from '../../operations/read-usage.ts'
import { bind } from './binding.ts'

export const bindings = [
  bind(api.listAgentUsage, {
    run: (ports, { caller }, { query }) => listAgentUsage(ports, caller, query.limit ?? PAGE_RECORDS_DEFAULT),
    answer: ({ usages }) => ({ data: usages.map(usageRecord) }),
  }),
]
