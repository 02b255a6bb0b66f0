// In this folder: reads from the service: requests, their cache, the live stream, choices that the browser keeps. Nothing here draws.
// The names of agents of which the page has the id alone: in filters, in lists of whom they act for, of verifiers.
import { skipToken, useQuery } from '@tanstack/react-query'
import { makeBatched } from './batched.ts'
import { administration } from './service.ts'

const FRESH_MS = 5 * 60_000

/** Null where it was deleted. */
const nameOf = makeBatched(async ids => {
  const names = new Map<string, string>()
  const query = { agent_id: ids, limit: ids.length }
  for await (const { agent_id, name } of administration.listAgents({ query })) names.set(agent_id, name)
  return names
})

export const useAgentName = (id: string | undefined): string | undefined => {
  const { data: name } = useQuery({
    queryKey: ['agent-names', id],
    queryFn: id === undefined ? skipToken : () => nameOf(id),
    staleTime: FRESH_MS,
    // The reader may not see agents: its id stands for it.
    retry: false,
  })
  return name ?? undefined
}
