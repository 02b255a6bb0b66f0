// Reads the list of agents in the order that is asked for.
import type { QueryClient } from '@tanstack/react-query'
import type { AgentRecord } from '../../../packages/client/src/index.ts'
import { orderOf, sortRows } from '../lists/order.ts'
import { SORTED_MAX } from '../lists/sort.ts'
import { type Page, type Query, withLabels } from '../reading/page.ts'
import { readPage } from '../reading/read-page.ts'
import { administration } from '../reading/service.ts'
import { AGENT_VALUES, USAGE_VALUES } from './agent-columns.tsx'
import { usageOf } from './agent-usage.tsx'

type Read = (cursor: string | undefined, signal: AbortSignal) => Promise<Page<AgentRecord>>

/** Reads by what each agent is sorted; undefined where the rows cannot be sorted so. */
const sortValueOf = (queryClient: QueryClient, by: string) => {
  const [ofAgent, ofUsage] = [AGENT_VALUES[by], USAGE_VALUES[by]]
  if (ofUsage === undefined) return ofAgent
  return async ({ agent_id: id }: AgentRecord) => {
    const usage = await usageOf(queryClient, id)
    return usage === null ? null : ofUsage(usage)
  }
}

/** The store sorts by name alone. Beyond one page of its records the others are not sorted, and the screen says so. */
export const listAgents = (queryClient: QueryClient, { disabled, sort, ...query }: Query): Read => {
  const filters = { ...withLabels(query), ...(disabled !== undefined && { disabled: disabled === 'true' }) }
  const order = orderOf(sort ?? '')
  const valueOf = sortValueOf(queryClient, order.by)
  const limit = valueOf && SORTED_MAX
  const readAgents = readPage((cursor, signal) =>
    administration.listAgents({ query: { ...filters, limit, cursor }, signal }),
  )
  if (valueOf === undefined) return readAgents
  return async (cursor, signal) => {
    const page = await readAgents(cursor, signal)
    const rows = page.data.map(async agent => ({ row: agent, value: await valueOf(agent) }))
    return sortRows({ ...page, data: await Promise.all(rows) }, order)
  }
}
