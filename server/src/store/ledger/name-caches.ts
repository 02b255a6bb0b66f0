// What the numbers in a row stand for on the wire. None of it ever changes, so it is cached.
import { type TokenAddress, issuedSecondOf } from '../../domain/ledger/claims.ts'
import { actorsOf, subjectOf } from '../../domain/ledger/lineage.ts'
import type { Principal, TokenSubject } from '../../domain/ledger/token-subject.ts'
import type { NamedAncestor, TokenRecord } from '../../domain/lists/page.ts'
import type { PublicJwk } from '../../domain/keys/signing-key.ts'
import { cache, cached, type NameCache, recall } from '../name-cache.ts'
import { first, type Program } from '../statement-program.ts'
import { parsePublicJwk } from '../signing-keys/signing-keys.ts'
import type { ScopeSet, Sets } from './interned-sets.ts'
import type { StoredAncestor } from './lineages.ts'
import { readPrincipal } from './principals.ts'
import { addressOfRow, NO_ANCESTORS, type TokenNumbers, type TokenRow } from './token-rows.ts'

type AgentLabel = { readonly id: string; readonly clientId: string }

/** The caches of names, by the numbers in token rows. */
export type NameCaches = {
  readonly agent: NameCache<number, AgentLabel>
  readonly credential: NameCache<number, string>
  readonly publicJwk: NameCache<number, PublicJwk>
  readonly principal: NameCache<number, Principal>
  readonly origin: OriginCache
}

/** From what tokens come, by {@link originKey}. */
type OriginCache = Pick<NameCache<string, NamedOrigin>, 'known' | 'forget'> & {
  readonly keep: (key: string, origin: NamedOrigin) => NamedOrigin
}

const makeOriginCache = (): OriginCache => {
  const memory = new Map<string, NamedOrigin>()
  return {
    known: key => memory.get(key),
    keep: (key, origin) => cache(memory, key, origin),
    forget: () => memory.clear(),
  }
}

const readAgent = (n: number): Program<AgentLabel | undefined> =>
  first<AgentLabel>('select id, client_id as "clientId" from agent where n = ?', n)

function* readCredential(n: number): Program<string | undefined> {
  return (yield* first<{ id: string }>('select id from credential where n = ?', n))?.id
}

function* readPublicJwk(n: number): Program<PublicJwk | undefined> {
  const row = yield* first<{ json: string }>('select public_jwk as json from signing_key where n = ?', n)
  return row === undefined ? undefined : parsePublicJwk(row.json)
}

export const makeNameCaches = (): NameCaches => ({
  agent: cached('agent', readAgent),
  credential: cached('credential', readCredential),
  publicJwk: cached('signing key', readPublicJwk),
  principal: cached('principal', readPrincipal),
  origin: makeOriginCache(),
})

/** What a row names, as it is shown. */
export type RowNames = {
  readonly agent: AgentLabel
  readonly credential: string
  readonly publicJwk: PublicJwk
  readonly scope: ScopeSet
  readonly audience: readonly string[]
  /** Null if the token has no parent and acts for its agent. */
  readonly origin: NamedOrigin | null
}

type NamedOrigin = Pick<TokenRecord, 'subject' | 'actors'> & { readonly ancestors: readonly NamedAncestor[] }

function* nameAncestor(
  { id, lifetimeSeconds, agent, credential, key, audience, seq }: StoredAncestor,
  nameCaches: NameCaches,
  sets: Pick<Sets, 'audience'>,
): Program<NamedAncestor> {
  return {
    id,
    audience: yield* recall(sets.audience, audience),
    expiresAt: issuedSecondOf(id) + lifetimeSeconds,
    seq,
    agentId: (yield* recall(nameCaches.agent, agent)).id,
    credentialId: yield* recall(nameCaches.credential, credential),
    kid: (yield* recall(nameCaches.publicJwk, key)).kid,
  }
}

const NOBODY: readonly never[] = []

type OriginRow = Pick<TokenRow, 'agent' | 'lineage' | 'principal'>

/** Whether the token has no parent and acts for its agent: it comes from nothing else. */
export const isPlain = ({ lineage, principal }: Omit<OriginRow, 'agent'>): boolean =>
  lineage === null && principal === null

/** What {@link OriginCache} knows the origin of a row by. */
export const originKey = ({ agent, lineage, principal }: OriginRow): string => `${lineage} ${principal} ${agent}`

function* readSubject(token: Parameters<typeof subjectOf>[0], nameCaches: NameCaches): Program<TokenSubject> {
  const subject = subjectOf(token)
  return 'principal' in subject
    ? yield* recall(nameCaches.principal, subject.principal)
    : { agentId: (yield* recall(nameCaches.agent, subject.agent)).id }
}

/** From what the token of a row comes, by names; null where it comes from nothing else. */
export function* readNamedOrigin(
  row: OriginRow,
  nameCaches: NameCaches,
  sets: Pick<Sets, 'audience' | 'lineage'>,
): Program<NamedOrigin | null> {
  if (isPlain(row)) return null
  const key = originKey(row)
  const known = nameCaches.origin.known(key)
  if (known !== undefined) return known
  const { agent, lineage, principal } = row
  const stored = lineage === null ? NO_ANCESTORS : yield* recall(sets.lineage, lineage)
  const token = { id: '', agent, principal, ancestors: stored }
  const actors: string[] = []
  for (const n of actorsOf(token)) actors.push((yield* recall(nameCaches.agent, n)).id)
  const ancestors: NamedAncestor[] = []
  for (const one of stored) ancestors.push(yield* nameAncestor(one, nameCaches, sets))
  return nameCaches.origin.keep(key, { subject: yield* readSubject(token, nameCaches), actors, ancestors })
}

/** A record whose ancestors have all their names. */
type NamedRecord = TokenRecord & { readonly ancestors: readonly NamedAncestor[] }

export const recordWith = ({ id, lifetimeSeconds }: TokenAddress, names: RowNames): NamedRecord => {
  const issuedAt = issuedSecondOf(id)
  return {
    id,
    agentId: names.agent.id,
    clientId: names.agent.clientId,
    credentialId: names.credential,
    scope: names.scope.text,
    audience: names.audience,
    kid: names.publicJwk.kid,
    issuedAt,
    expiresAt: issuedAt + lifetimeSeconds,
    subject: names.origin?.subject ?? { agentId: names.agent.id },
    actors: names.origin?.actors ?? NOBODY,
    ancestors: names.origin?.ancestors ?? NOBODY,
  }
}

type NamedSets = Pick<Sets, 'scope' | 'audience' | 'lineage'>

type NumberedRow = Omit<TokenNumbers, 'seq'>

/**
 * What a row that comes from nothing else names, where all of it is cached; ask it first: a statement program for each would cost as much as
 * the rest.
 */
export const knownNames = (row: NumberedRow, nameCaches: NameCaches, sets: NamedSets): RowNames | undefined => {
  const [agent, credential] = [nameCaches.agent.known(row.agent), nameCaches.credential.known(row.cred)]
  const publicJwk = nameCaches.publicJwk.known(row.key)
  const [scope, audience] = [sets.scope.known(row.scope), sets.audience.known(row.aud)]
  if (agent === undefined || credential === undefined || publicJwk === undefined) return undefined
  if (scope === undefined || audience === undefined || !isPlain(row)) return undefined
  return { agent, credential, publicJwk, scope, audience, origin: null }
}

export function* readNames(row: NumberedRow, nameCaches: NameCaches, sets: NamedSets): Program<RowNames> {
  return {
    agent: yield* recall(nameCaches.agent, row.agent),
    credential: yield* recall(nameCaches.credential, row.cred),
    publicJwk: yield* recall(nameCaches.publicJwk, row.key),
    scope: yield* recall(sets.scope, row.scope),
    audience: yield* recall(sets.audience, row.aud),
    origin: yield* readNamedOrigin(row, nameCaches, sets),
  }
}

type LabelledRow = Omit<TokenRow, 'seq'>

/** A row that comes from nothing else as it is shown, where all that it names is cached: ask it first, as knownTokenOf() says. */
export const knownRecordOf = (row: LabelledRow, nameCaches: NameCaches, sets: Sets): TokenRecord | undefined => {
  const names = knownNames(row, nameCaches, sets)
  return names === undefined ? undefined : recordWith(addressOfRow(row), names)
}

export function* recordOf(row: LabelledRow, nameCaches: NameCaches, sets: Sets): Program<TokenRecord> {
  return recordWith(addressOfRow(row), yield* readNames(row, nameCaches, sets))
}
