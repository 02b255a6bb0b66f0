// Reads the list of agents in the order that is asked for.
import type { QueryClient } from '@tanstack/react-query'
import type { AgentRecord } from '../../../packages/client/src/index.ts'
import { orderOf, sortRows } from '../lists/order.ts'
import { SORTED_MAX } from '../lists/sort.ts'
import { type Page, type Query, withLabels } from '../reading/page.ts'
import { readPage } from '../reading/read-page.ts'
import { administration } from '../reading/service.ts'
import { NEEDS_USAGE, SORT_VALUES } from './agent-columns.tsx'
import { usageOf } from './agent-usage.tsx'

type Read = (cursor: string | undefined, signal: AbortSignal) => Promise<Page<AgentRecord>>

/** The store sorts by name alone. Beyond one page of its records the others are not sorted, and the screen says so. */
export const listAgents = (queryClient: QueryClient, { disabled, sort, ...query }: Query): Read => {
  const filters = { ...withLabels(query), ...(disabled !== undefined && { disabled: disabled === 'true' }) }
  const order = orderOf(sort ?? '')
  const valueOf = SORT_VALUES[order.by]
  if (valueOf === undefined)
    return readPage((cursor, signal) => administration.listAgents({ query: { ...filters, cursor }, signal }))
  const readAll = readPage((cursor, signal) =>
    administration.listAgents({ query: { ...filters, limit: SORTED_MAX, cursor }, signal }),
  )
  return async (cursor, signal) => {
    const { data, next_cursor: next } = await readAll(cursor, signal)
    const rows = await Promise.all(
      data.map(async agent => ({
        agent,
        usage: NEEDS_USAGE.has(order.by) ? await usageOf(queryClient, agent.agent_id) : null,
      })),
    )
    const sorted = sortRows({ data: rows, next_cursor: next }, valueOf, order)
    return { ...sorted, data: sorted.data.map(({ agent }) => agent) }
  }
}
