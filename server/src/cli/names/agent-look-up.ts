// Looks up the agents that records name, by the id of an agent or of its client: a hundred with a request.
import { listAgents } from '../../../../api/agents.ts'
import { listApiKeys } from '../../../../api/api-keys.ts'
import { LISTED_IDS_MAX } from '../../../../api/values/lists.ts'
import { isUuid } from '../../../../api/values/uuid.ts'
import { Unavailable } from '../../domain/refusal.ts'
import type { Api } from '../remote/api.ts'
import { inParts } from '../remote/in-parts.ts'
import { CommandFailed } from '../terminal/exit.ts'
import { areRecords, type PrintedRecord } from '../terminal/print.ts'

/** An agent or an API key as a record names it. The client of an imported agent has the id that it had before. */
export type Reference = { readonly by: 'agent' | 'client' | 'api_key'; readonly id: string }

export type Named = { readonly agent: unknown; readonly owner: unknown }

export type NameOf = (reference: Reference | undefined) => Named | undefined

/** How many agents one table names. A list that is read to its end may have more than anybody reads. */
const AGENTS_NAMED_MAX = 1000
/** What one request asks for, in a URL that every proxy takes. */
const ID_CHARACTERS_MAX = 4000

/** What was asked for is there already: no failure to name an agent may keep it from being shown. */
const unlessFailed = async (asked: Promise<PrintedRecord>): Promise<PrintedRecord | undefined> => {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Unavailable || error instanceof CommandFailed) return undefined
    throw error
  }
}

const PART = { itemsMax: LISTED_IDS_MAX, weightMax: ID_CHARACTERS_MAX }

type Ask = (ids: readonly string[]) => Promise<PrintedRecord>

/** Those with these ids, as far as they are found; none of those that follow where some could not be asked for. */
const lookUpEach = async (ids: readonly string[], ask: Ask): Promise<readonly PrintedRecord[]> => {
  const found: PrintedRecord[] = []
  for (const part of inParts(ids, PART, ({ length }) => length)) {
    const page = await unlessFailed(ask(part))
    if (!areRecords(page?.['data'])) break
    found.push(...page['data'])
  }
  return found
}

/** By what each is looked up. */
const ASKS: Readonly<Record<Reference['by'], (api: Api) => Ask>> = {
  agent: api => ids => api.call(listAgents, { query: { agent_id: ids, limit: LISTED_IDS_MAX } }),
  client: api => ids => api.call(listAgents, { query: { client_id: ids, limit: LISTED_IDS_MAX } }),
  api_key: api => ids => api.call(listApiKeys, { query: { api_key_id: ids, limit: LISTED_IDS_MAX } }),
}

const keyOf = ({ by, id }: Reference): string => `${by} ${id}`

/** What the service takes for an id, each once: who acted may be named otherwise. */
const idsOf = (references: readonly Reference[], kind: Reference['by']): readonly string[] => [
  ...new Set(references.filter(({ by, id }) => by === kind && (kind === 'client' || isUuid(id))).map(({ id }) => id)),
]

/** The names and owners of these agents, and the names of these API keys. One that was deleted, or that the caller may not see, has none. */
export const lookUpAll = async (api: Api, references: readonly Reference[]): Promise<NameOf> => {
  const wanted = [...new Map(references.map(one => [keyOf(one), one])).values()].slice(0, AGENTS_NAMED_MAX)
  const named = new Map<string, Named>()
  for (const by of ['agent', 'client', 'api_key'] as const) {
    for (const record of await lookUpEach(idsOf(wanted, by), ASKS[by](api)))
      named.set(keyOf({ by, id: String(record[`${by}_id`]) }), { agent: record['name'], owner: record['owner'] })
  }
  return reference => (reference === undefined ? undefined : named.get(keyOf(reference)))
}
