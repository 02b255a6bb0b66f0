// The names of agents, for tables whose records hold their ids: one look-up for the first thousand, one more for any other.
import { useQuery } from '@tanstack/react-query'
import { PAGE_RECORDS_MAX } from '../../../api/values/lists.ts'
import { readPage } from './read-page.ts'
import { administration } from './service.ts'

const FRESH_MS = 5 * 60_000

export const useAgentName = (id: string): string | undefined => {
  const { data: names, isPending } = useQuery({
    queryKey: ['agent-names'],
    queryFn: async ({ signal }) => {
      const page = await readPage((cursor, aborted) =>
        administration.listAgents({ query: { cursor, limit: PAGE_RECORDS_MAX }, signal: aborted }),
      )(undefined, signal)
      return new Map(page.data.map(({ agent_id, name }) => [agent_id, name]))
    },
    staleTime: FRESH_MS,
  })
  const found = names?.get(id)
  const { data: agent } = useQuery({
    queryKey: ['agent', id],
    queryFn: ({ signal }) => administration.showAgent({ path: { id }, signal }),
    enabled: !isPending && found === undefined,
    staleTime: FRESH_MS,
    // It was deleted, or the reader may not see agents: its id stands for it.
    retry: false,
  })
  return agent?.name ?? found
}
