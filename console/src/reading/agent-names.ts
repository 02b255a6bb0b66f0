// The names of agents, for tables whose records hold their ids: what is asked for together is looked up with one request.
import { skipToken, useQuery } from '@tanstack/react-query'
import { LISTED_IDS_MAX } from '../../../api/values/lists.ts'
import { administration } from './service.ts'

const FRESH_MS = 5 * 60_000

type Wanted = {
  readonly id: string
  readonly resolve: (name: string | null) => void
  readonly reject: (fault: unknown) => void
}

let wanted: Wanted[] = []

const lookUp = async (some: readonly Wanted[]): Promise<void> => {
  try {
    const query = { agent_id: some.map(({ id }) => id), limit: LISTED_IDS_MAX }
    const names = new Map<string, string>()
    for await (const { agent_id, name } of administration.listAgents({ query })) names.set(agent_id, name)
    for (const { id, resolve } of some) resolve(names.get(id) ?? null)
  } catch (fault) {
    for (const { reject } of some) reject(fault)
  }
}

const lookUpAll = (): void => {
  const all = wanted
  wanted = []
  for (let n = 0; n < all.length; n += LISTED_IDS_MAX) void lookUp(all.slice(n, n + LISTED_IDS_MAX))
}

/** Null where it was deleted. */
const nameOf = (id: string): Promise<string | null> =>
  new Promise((resolve, reject) => {
    if (wanted.length === 0) setTimeout(lookUpAll)
    wanted.push({ id, resolve, reject })
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
