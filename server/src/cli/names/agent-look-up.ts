// Looks up the agents that records name, by the id of an agent or of its client: each once.
import { listAgents, showAgent } from '../../../../api/agents.ts'
import { showApiKey } from '../../../../api/api-keys.ts'
import { PAGE_RECORDS_MAX } from '../../../../api/values/lists.ts'
import { isUuid } from '../../../../api/values/uuid.ts'
import { Unavailable } from '../../domain/refusal.ts'
import type { Api } from '../remote/api.ts'
import { CommandFailed, EXIT } from '../terminal/exit.ts'
import { areRecords, type PrintedRecord } from '../terminal/print.ts'

/** An agent or an API key as a record names it. The client of an imported agent has the id that it had before. */
export type Reference = { readonly by: 'agent' | 'client' | 'api_key'; readonly id: string }

export type Named = { readonly agent: unknown; readonly owner: unknown }

export type NameOf = (reference: Reference | undefined) => Named | undefined

/** Of one table. A list that is read to its end may name more agents than anybody reads. */
const AGENTS_NAMED_MAX = 1000
const AT_ONCE_MAX = 8
/** Pages of agents that are read for clients with ids of their own. */
const AGENT_PAGES_MAX = 10

type Found = PrintedRecord | undefined | null

/** What was asked for is there already: no failure to name an agent may keep it from being shown. */
const unlessFailed = async <T>(asked: Promise<T>): Promise<T | undefined | null> => {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Unavailable) return null
    if (error instanceof CommandFailed) return error.exitCode === EXIT.failed ? undefined : null
    throw error
  }
}

/** Undefined for an agent that is gone; null where there is no use in asking for others either. */
const lookUp = (api: Api, id: string): Promise<Found> => unlessFailed(api.call(showAgent, { path: { id } }))

const lookUpKey = (api: Api, id: string): Promise<Found> =>
  unlessFailed(api.call(showApiKey, { path: { api_key_id: id } }))

/** Those with these ids, as far as they were found; none of those that follow where one could not be asked for. */
const lookUpEach = async (
  ids: readonly string[],
  lookUpOne: (id: string) => Promise<Found>,
): Promise<readonly Found[]> => {
  const found: Found[] = []
  for (let n = 0; n < ids.length; n += AT_ONCE_MAX) {
    found.push(...(await Promise.all(ids.slice(n, n + AT_ONCE_MAX).map(lookUpOne))))
    if (found.includes(null)) break
  }
  return found
}

/** The agents of clients with these ids, which no request looks up: among the first 10,000. */
const findClients = async (api: Api, ids: ReadonlySet<string>): Promise<readonly PrintedRecord[]> => {
  const found: PrintedRecord[] = []
  let cursor: unknown
  for (let pages = 0; pages < AGENT_PAGES_MAX && found.length < ids.size && cursor !== null; pages += 1) {
    const query = { limit: PAGE_RECORDS_MAX, ...(typeof cursor === 'string' && { cursor }) }
    const page = await unlessFailed(api.call(listAgents, { query }))
    if (!areRecords(page?.['data'])) break
    found.push(...page['data'].filter(one => ids.has(String(one['client_id']))))
    cursor = page['next_cursor'] ?? null
  }
  return found
}

const keyOf = ({ by, id }: Reference): string => `${by} ${id}`

const idsOf = (references: readonly Reference[]): readonly string[] => [
  ...new Set(references.map(({ id }) => id).filter(isUuid)),
]

/** The names and owners of these agents, and the names of these API keys. One that was deleted, or that the caller may not see, has none. */
export const lookUpAll = async (api: Api, references: readonly Reference[]): Promise<NameOf> => {
  const wanted = [...new Map(references.map(one => [keyOf(one), one])).values()].slice(0, AGENTS_NAMED_MAX)
  const named = new Map<string, Named>()
  const note = (by: Reference['by'], record: PrintedRecord): void => {
    named.set(keyOf({ by, id: String(record[`${by}_id`]) }), { agent: record['name'], owner: record['owner'] })
  }
  const keys = idsOf(wanted.filter(({ by }) => by === 'api_key'))
  for (const [n, record] of (await lookUpEach(keys, id => lookUpKey(api, id))).entries()) {
    if (record !== null && record !== undefined) note('api_key', { ...record, api_key_id: keys[n] })
  }
  const ids = idsOf(wanted.filter(({ by }) => by !== 'api_key'))
  const found = await lookUpEach(ids, id => lookUp(api, id))
  for (const [n, record] of found.entries()) {
    if (record === null || record === undefined) continue
    // As it was asked for: a service elsewhere may answer with another.
    note('agent', { ...record, agent_id: ids[n] })
    if (record['client_id'] === ids[n]) note('client', record)
  }
  const others = new Set(wanted.filter(one => one.by === 'client' && !named.has(keyOf(one))).map(({ id }) => id))
  if (others.size > 0 && !found.includes(null)) {
    for (const record of await findClients(api, others)) note('client', record)
  }
  return reference => (reference === undefined ? undefined : named.get(keyOf(reference)))
}
