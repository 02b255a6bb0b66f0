// What a person means by a name, an id or the beginning of one, wherever a command takes the id of an agent, a credential or
// an API key. The whole id always means itself, and asks nobody; a name hides no id.
import { listAgents } from '../../../api/agents.ts'
import { listApiKeys } from '../../../api/api-keys.ts'
import { listCredentials } from '../../../api/credentials.ts'
import { PAGE_RECORDS_MAX } from '../../../api/values/lists.ts'
import { isName } from '../../../api/values/name.ts'
import { parseUuid } from '../../../api/values/uuid.ts'
import { printable } from '../domain/text/printable.ts'
import { type Api, ApiRefusal, type Query } from './remote/api.ts'
import { CommandFailed, EXIT } from './terminal/exit.ts'
import { areRecords, type PrintedRecord } from './terminal/print.ts'

/** A thing with a name, as candidates are told. */
type Named = { readonly id: string; readonly name: string; readonly owner: string | null }

type Ask = (query: Query) => Promise<PrintedRecord>

type Kind = {
  readonly what: string
  /** The member of a record that is its id. */
  readonly id: string
  readonly list: string
  /** Asks for the beginning of a name alone; undefined where the list has no such filter. */
  readonly byName?: (text: string) => Query
}

/** By the name of the argument, or of an option's value. */
const KINDS = {
  'agent-id': { what: 'agent', id: 'agent_id', list: 'agent list', byName: text => ({ name_prefix: text }) },
  'credential-id': { what: 'credential', id: 'credential_id', list: 'credential list' },
  'api-key-id': { what: 'API key', id: 'api_key_id', list: 'api-key list' },
} as const satisfies Readonly<Record<string, Kind>>

export type KindName = keyof typeof KINDS

export const isKind = (name: string): name is KindName => Object.hasOwn(KINDS, name)

/** Pages of a list that are read for the beginning of an id. */
const PAGES_MAX = 10
const CANDIDATES_MAX = 10
/** Shorter beginnings of ids are not looked for: they are more likely a mistyped name. */
const ID_PREFIX = /^[0-9a-f]{4}[0-9a-f-]{0,31}$/

const read = ({ id }: Kind, answer: PrintedRecord): { readonly found: readonly Named[]; readonly next: unknown } => {
  const { data, next_cursor: next } = answer
  if (!areRecords(data))
    throw new CommandFailed('The answer is no page of a list: is the URL that of a service of this version?')
  const found = data.map(record => {
    const { name, owner = null } = record
    return { id: String(record[id]), name: String(name), owner: typeof owner === 'string' ? owner : null }
  })
  return { found, next }
}

const fail = (message: string): CommandFailed => new CommandFailed(message, EXIT.usage)

/** Of a list that was not read to its end nobody knows whether one that was found is the only one. */
const refuseLongList = ({ what }: Kind): never => {
  const most = (PAGES_MAX * PAGE_RECORDS_MAX).toLocaleString('en-US')
  throw fail(`There are more than ${most} to look through: name the ${what} by its whole id.`)
}

/** A list to its end. */
const readAll = async (kind: Kind, ask: Ask, isMeant: (one: Named) => boolean): Promise<readonly Named[]> => {
  const all: Named[] = []
  let cursor: unknown
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page = read(kind, await ask({ limit: PAGE_RECORDS_MAX, ...(typeof cursor === 'string' && { cursor }) }))
    all.push(...page.found.filter(isMeant))
    if (page.next === null) return all
    cursor = page.next
  }
  return refuseLongList(kind)
}

/** Those whose name or id opens so. */
const gather = async (kind: Kind, ask: Ask, text: string): Promise<readonly Named[]> => {
  const opens = ({ id, name }: Named): boolean => name.startsWith(text) || (ID_PREFIX.test(text) && id.startsWith(text))
  const named = kind.byName !== undefined && isName(text) ? read(kind, await ask(kind.byName(text))).found : []
  const isWanted = kind.byName === undefined || (ID_PREFIX.test(text) && !named.some(({ name }) => name === text))
  const others = isWanted ? await readAll(kind, ask, opens) : []
  return [...new Map([...named, ...others].map(one => [one.id, one])).values()]
}

// A name is one line, whatever it holds.
const tell = ({ id, name, owner }: Named): string =>
  `\n  ${printable(id)}  ${printable(name)}${owner === null ? '' : `  (owner ${printable(owner)})`}`

/** What was typed is not repeated where nothing is found: it may be a secret in the wrong place. */
const choose = (kind: Kind, candidates: readonly Named[], text: string, ends: boolean): string => {
  const { what, list } = kind
  const exact = candidates.filter(({ name }) => name === text)
  const meant = exact.length > 0 ? exact : candidates
  const [only] = meant
  if (only === undefined)
    throw fail(`No ${what} has this id or name, or one that opens so: \`mintmark ${list}\` shows them.`)
  const shown = meant.slice(0, CANDIDATES_MAX).map(tell).join('')
  if (meant.length > 1) throw fail(`Several are meant; name one ${what} by its id:${shown}`)
  if (ends && exact.length === 0)
    throw fail(`What ends something takes the whole id or the whole name. Is it this ${what}?${shown}`)
  return only.id
}

/** `ends`: whether the command may end something: then the beginning of an id or a name is not enough. */
export const findNamed = async (
  api: Api,
  name: KindName,
  { text, agentId, ends }: { readonly text: string; readonly agentId?: string | undefined; readonly ends: boolean },
): Promise<string> => {
  const id = parseUuid(text)
  if (id !== undefined) return id
  if (name === 'credential-id' && agentId === undefined)
    throw fail('Name the credential by its whole id, or its agent too: a name is known among those of an agent.')
  const asks: Readonly<Record<KindName, Ask>> = {
    'agent-id': query => api.call(listAgents, { query }),
    'credential-id': query => api.call(listCredentials, { path: { agent_id: agentId ?? '' }, query }),
    'api-key-id': query => api.call(listApiKeys, { query }),
  }
  try {
    return choose(KINDS[name], await gather(KINDS[name], asks[name], text), text, ends)
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.status !== 403) throw error
    throw fail(`To find the ${KINDS[name].what} by anything but its whole id the caller must be allowed to list them.`)
  }
}
