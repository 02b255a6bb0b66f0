// What an agent got of late, in the columns of the list of agents.
import { type QueryClient, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { ListAgentUsageAnswer } from '../../../packages/client/src/index.ts'
import { makeBatched } from '../reading/batched.ts'
import { administration } from '../reading/service.ts'

export type AgentUsage = ListAgentUsageAnswer['data'][number]

const FRESH_MS = 15_000

const readUsage = makeBatched(async ids => {
  const { data } = await administration.listAgentUsage({ query: { agent_id: ids, limit: ids.length } })
  return new Map(data.map(usage => [usage.agent_id, usage]))
})

const queryOf = (id: string) => ({
  queryKey: ['agent-usage', id],
  queryFn: () => readUsage(id),
  staleTime: FRESH_MS,
  retry: false,
})

/** What the columns show as well; null for an agent that is gone. */
export const usageOf = (queryClient: QueryClient, id: string): Promise<AgentUsage | null> =>
  queryClient.fetchQuery(queryOf(id))

type UsageProps = { readonly id: string; readonly show: (usage: AgentUsage) => ReactNode }

/** The same moment for all rows, so that one request reads them. */
const untilNext = (): number => FRESH_MS - (Date.now() % FRESH_MS)

/** A list of agents waits for none of it. */
export const Usage = ({ id, show }: UsageProps) => {
  const { data, isError } = useQuery({ ...queryOf(id), refetchInterval: untilNext })
  if (data === null) return null
  if (data !== undefined)
    return isError ? (
      <span className="quiet" title="It cannot be read anew now.">
        {show(data)}, old
      </span>
    ) : (
      show(data)
    )
  return <span className="quiet">{isError ? 'not known' : '…'}</span>
}
