// What has an id and may be named at the terminal: where each kind is looked for, and what stands for it whole.
import { listAgents } from '../../../../api/agents.ts'
import { listApiKeys } from '../../../../api/api-keys.ts'
import { listAudit } from '../../../../api/audit.ts'
import { listCredentials } from '../../../../api/credentials.ts'
import { listSessions } from '../../../../api/sessions.ts'
import { listSigningKeys } from '../../../../api/signing-keys.ts'
import { PAGE_RECORDS_MAX } from '../../../../api/values/lists.ts'
import { isName } from '../../../../api/values/name.ts'
import { parseIssuerSubject } from '../../../../api/values/subject.ts'
import { parseUuid } from '../../../../api/values/uuid.ts'
import { type Api, ApiRefusal, type Query } from '../remote/api.ts'
import { CommandFailed, EXIT } from '../terminal/exit.ts'
import { areRecords, isRecord, type PrintedRecord } from '../terminal/print.ts'
import { PASTED } from '../token-id.ts'

/** In ms; null: it never ends. */
export type Life = { readonly madeAt: number; readonly endsAt: number | null }

/** A thing with an id, as candidates are shown. */
export type Named = {
  readonly id: string
  /** What it may be called in full, the one that is shown first; none for what has an id alone. */
  readonly names: readonly string[]
  /** Beside that: its owner, or of several kinds which one. */
  readonly remark: string | null
  /** When a secret or a key was made, and when it ends or ended. */
  readonly life?: Life
}

/** What was typed, and what else of the command decides what it means. */
export type Typed = {
  readonly text: string
  /** The agent that the command names before, whose credential is meant. */
  readonly agentId?: string | undefined
  /** The type of an actor. */
  readonly actorType?: string | undefined
}

/** Asks for one page of a list. */
type Ask = (query: Query) => Promise<PrintedRecord>

export type Kind = {
  readonly what: string
  readonly list: string
  /** The id where the text is a whole one, which asks nobody; unless said otherwise, where it is a UUID. */
  readonly whole?: (typed: Typed) => string | undefined
  /** Reads the candidates. The answer may also hold records that the text does not match. */
  readonly gather: (api: Api, typed: Typed) => Promise<readonly Named[]>
  /** For actors that no list has, such as a user at the terminal: what a text means that is no listed name. */
  readonly otherwise?: string
  /** How to give what is no listed thing, in a sentence. */
  readonly orElse?: string
  /** A text is no beginning of a listed name: it may be the whole name of something that is not listed. */
  readonly isWholeOnly?: true
  /** A whole id may be what something is called: it is the name of that where nothing has it as its id. */
  readonly hasNames?: true
  /** A caller who may not list may still name one: the service knows whether it exists. */
  readonly isFree?: true
}

export const fail = (message: string): CommandFailed => new CommandFailed(message, EXIT.usage)

/** Pages of a list that are read for the beginning of an id. */
const PAGES_MAX = 10
/** Shorter beginnings of ids are not looked for: they are more likely a mistyped name. */
const ID_PREFIX = /^[0-9a-f]{4}[0-9a-f-]{0,31}$/
const KID_PREFIX_MIN = 4

export const opensId = (text: string, id: string): boolean =>
  id.startsWith(text) && (ID_PREFIX.test(text) || (parseUuid(id) === undefined && text.length >= KID_PREFIX_MIN))

const readPage = (answer: PrintedRecord): readonly PrintedRecord[] => {
  if (areRecords(answer['data'])) return answer['data']
  throw new CommandFailed('The answer is no page of a list: is the URL that of a service of this version?')
}

const tooMany = (what: string, most: number): CommandFailed =>
  fail(`There are more than ${most.toLocaleString('en-US')} to look through: name the ${what} by its whole id.`)

/** Reads a list to its end. Fails for a longer list: a match in its first pages might not be the only one. */
const readAll = async (what: string, ask: Ask): Promise<readonly PrintedRecord[]> => {
  const all: PrintedRecord[] = []
  let cursor: unknown
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page = await ask({ limit: PAGE_RECORDS_MAX, ...(typeof cursor === 'string' && { cursor }) })
    all.push(...readPage(page))
    if (page['next_cursor'] === null) return all
    cursor = page['next_cursor']
  }
  throw tooMany(what, PAGES_MAX * PAGE_RECORDS_MAX)
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const ownerOf = ({ owner }: PrintedRecord): string | null => (typeof owner === 'string' ? `owner ${owner}` : null)

const asNamed =
  (id: string, remarkOf: (record: PrintedRecord) => string | null = () => null) =>
  (record: PrintedRecord): Named => ({
    id: String(record[id]),
    names: [record['name']].filter(name => typeof name === 'string'),
    remark: remarkOf(record),
  })

const toAgent = asNamed('agent_id', ownerOf)

/** What the service finds by the text: all of it, because several may have one name. */
const search = async (what: string, ask: Ask, text: string): Promise<readonly PrintedRecord[]> => {
  if (!isName(text)) return []
  const page = await ask({ q: text, limit: PAGE_RECORDS_MAX })
  if (page['next_cursor'] !== null) throw tooMany(what, PAGE_RECORDS_MAX)
  return readPage(page)
}

/** By the beginnings of names and ids alone: whatever has the text elsewhere is not meant. A whole name comes first. */
const searchAgents = async (api: Api, text: string): Promise<readonly PrintedRecord[]> => {
  if (!isName(text)) return []
  const queries = [{ name_prefix: text }, { id_prefix: text }]
  const pages = await Promise.all(queries.map(query => api.call(listAgents, { query })))
  return pages.flatMap(readPage)
}

const gatherAgents = async (api: Api, { text }: Typed): Promise<readonly Named[]> =>
  (await searchAgents(api, text)).map(toAgent)

/** An imported client kept the id that it had. */
const gatherClients = async (api: Api, { text }: Typed): Promise<readonly Named[]> =>
  (await searchAgents(api, text)).map(asNamed('client_id', ownerOf))

const timeOf = (value: unknown): number | null => (typeof value === 'string' ? Date.parse(value) : null)

/** A secret or a key, whose name its successor has too. */
const asMortal = (id: string) => {
  const toNamed = asNamed(id, ({ revoked_at: revokedAt, expires_at: expiresAt }) => {
    if (typeof revokedAt === 'string') return `revoked ${revokedAt}`
    return typeof expiresAt === 'string' ? `expires ${expiresAt}` : null
  })
  return (record: PrintedRecord): Named => {
    const { created_at: madeAt, revoked_at: revokedAt, expires_at: expiresAt } = record
    return { ...toNamed(record), life: { madeAt: timeOf(madeAt) ?? 0, endsAt: timeOf(revokedAt) ?? timeOf(expiresAt) } }
  }
}

const gatherCredentials = async (api: Api, { text, agentId }: Typed): Promise<readonly Named[]> => {
  if (agentId === undefined)
    throw fail('Name the credential by its whole id, or its agent too: a name is known among those of an agent.')
  const ask: Ask = query => api.call(listCredentials, { path: { agent_id: agentId }, query })
  return (await search('credential', ask, text)).map(asMortal('credential_id'))
}

const gatherApiKeys = async (api: Api, { text }: Typed): Promise<readonly Named[]> =>
  (await search('API key', query => api.call(listApiKeys, { query }), text)).map(asMortal('api_key_id'))

const gatherSigningKeys = async (api: Api): Promise<readonly Named[]> =>
  (await readAll('signing key', query => api.call(listSigningKeys, { query }))).map(
    asNamed('kid', ({ state }) => textOf(state)),
  )

/** A session is that of an operator: what the identity provider calls one, and the name for people. */
const gatherSessions = async (api: Api): Promise<readonly Named[]> =>
  (await readAll('session', query => api.call(listSessions, { query }))).map(({ id, operator, used_at: usedAt }) => ({
    id: String(id),
    names: isRecord(operator) ? [operator['sub'], operator['name']].filter(name => typeof name === 'string') : [],
    remark: `used ${String(usedAt)}`,
  }))

/** The audit log is the one list of revocations. */
const gatherRevocations = async (api: Api, { text }: Typed): Promise<readonly Named[]> => {
  if (!ID_PREFIX.test(text)) return []
  const ask: Ask = query => api.call(listAudit, { query: { ...query, kind: 'revocation.create' } })
  return (await readAll('revocation', ask)).map(({ subject, note, at }) => ({
    id: String(subject),
    names: [],
    remark: [String(at), textOf(note)].filter(part => part !== null).join(' '),
  }))
}

type Gather = Kind['gather']

const remarked = (what: string, found: readonly Named[]): readonly Named[] =>
  found.map(one => ({ ...one, remark: one.remark === null ? what : `${what}, ${one.remark}` }))

const GATHERS: Readonly<Record<string, Gather>> = {
  agent: gatherAgents,
  'API key': gatherApiKeys,
  'signing key': gatherSigningKeys,
}

/** Gathers the records of several kinds, as far as the caller may list each. */
const gatherOf = async (kinds: readonly string[], api: Api, typed: Typed): Promise<readonly Named[]> => {
  const found: Named[] = []
  let refusal: ApiRefusal | undefined
  for (const what of kinds) {
    try {
      found.push(...remarked(what, (await GATHERS[what]?.(api, typed)) ?? []))
    } catch (error) {
      if (!(error instanceof ApiRefusal) || error.status !== 403) throw error
      refusal = error
    }
  }
  if (found.length === 0 && refusal !== undefined) throw refusal
  return found
}

/** Users and operators have no list, and one may be called as an agent is: what their type says needs no look-up. */
const ACTORS: Readonly<Record<string, readonly string[]>> = { client: ['agent'], api_key: ['API key'] }
const ANY_ACTOR = ['agent', 'API key']

const actorsOf = ({ actorType }: Typed): readonly string[] | undefined =>
  actorType === undefined ? ANY_ACTOR : ACTORS[actorType]

/** Stands before a text that is to be taken as it is. */
const AS_IT_IS = '='

const asItIs = ({ text }: Typed): string | undefined =>
  text.startsWith(AS_IT_IS) ? text.slice(AS_IT_IS.length) : undefined

const wholeActor = (typed: Typed): string | undefined => {
  const { text } = typed
  if (actorsOf(typed) === undefined) return text
  return asItIs(typed) ?? (text === 'system' ? text : parseUuid(text))
}

export const wholeUuid = ({ text }: Typed): string | undefined => parseUuid(text)

/** As the service names keys of its own: RFC 7638 with SHA-256. */
const THUMBPRINT = /^[\w-]{43}$/
const wholeKid = ({ text }: Typed): string | undefined => (THUMBPRINT.test(text) ? text : undefined)

const wholeSubject = (typed: Typed): string | undefined =>
  typed.text === PASTED ? PASTED : (asItIs(typed) ?? wholeUuid(typed) ?? wholeKid(typed))

/** By the name of the argument, or of an option's value. */
const ALL_KINDS = {
  'agent-id': { what: 'agent', list: 'agent list', gather: gatherAgents, hasNames: true },
  'credential-id': { what: 'credential', list: 'credential list', gather: gatherCredentials, hasNames: true },
  'api-key-id': { what: 'API key', list: 'api-key list', gather: gatherApiKeys, hasNames: true },
  kid: { what: 'signing key', list: 'key list', whole: wholeKid, gather: gatherSigningKeys, isFree: true },
  'session-id': { what: 'session', list: 'session list', gather: gatherSessions, hasNames: true },
  'revocation-id': { what: 'revocation', list: 'audit list --kind revocation.create', gather: gatherRevocations },
  'client-id': {
    what: 'client',
    list: 'agent list',
    hasNames: true,
    gather: gatherClients,
    otherwise: 'the id of a client whose agent was deleted',
  },
  'actor-id': {
    what: 'actor',
    list: 'agent list',
    whole: wholeActor,
    gather: (api, typed) => gatherOf(actorsOf(typed) ?? [], api, typed),
    isWholeOnly: true,
    otherwise: 'an operator or a user at the terminal',
  },
  'subject-id': {
    what: 'subject',
    list: 'agent list',
    whole: wholeSubject,
    gather: (api, typed) => gatherOf(Object.keys(GATHERS), api, typed),
    isFree: true,
  },
  sub: {
    what: 'agent',
    list: 'agent list',
    whole: typed => asItIs(typed) ?? parseUuid(typed.text),
    gather: gatherAgents,
    hasNames: true,
    orElse: 'A subject of an issuer is given as ALIAS:SUB.',
  },
} as const satisfies Readonly<Record<string, Kind>>

export type KindName = keyof typeof ALL_KINDS

/** An agent may be called as a subject of an issuer is: its whole name alone is meant, and no beginning of one. */
const ISSUER_SUBJECT: Partial<Kind> = {
  whole: () => undefined,
  isWholeOnly: true,
  otherwise: 'a subject of an issuer',
  orElse: '=ALIAS:SUB is always the subject of the issuer.',
}

const KINDS: Readonly<Record<KindName, Kind>> = ALL_KINDS

const SUBJECTS: readonly KindName[] = ['sub', 'subject-id']

/** The kind as what was typed is looked for. */
export const kindOf = (name: KindName, { text }: Typed): Kind =>
  SUBJECTS.includes(name) && parseIssuerSubject(text) !== undefined
    ? { ...KINDS[name], ...ISSUER_SUBJECT }
    : KINDS[name]

export const isKind = (name: string): name is KindName => Object.hasOwn(KINDS, name)
