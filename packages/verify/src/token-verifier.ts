// Decides on one token: by its text, its times, its binding, its revocation and its scope, in this order.
import type { Verdict } from './feed/cut-offs.ts'
import type { Facts } from './feed/facts.ts'
import type { Feed } from './feed/feed.ts'
import { type Digests, type Subject, subjectsOf } from './feed/subject.ts'
import type { Settings } from './options.ts'
import { checkBinding } from './proofs/binding.ts'
import type { ProofMemory } from './proofs/replays.ts'
import { isRefusal, type Refusal, refusal } from './refusals.ts'
import type { Claims } from './readers/claim-types.ts'
import { readClaims, scopesOf, type TimeRange, timeRefusal } from './tokens/claims.ts'
import type { Introspection } from './tokens/introspection.ts'
import type { KeySet } from './tokens/key-set.ts'
import type { makeTokenCache } from './tokens/token-cache.ts'
import { type makeReader, signatureRefusal, type Unverified } from './tokens/signatures.ts'
import type { Asked, Verified } from './verifier.ts'
import type { Runtime } from './wire/runtime.ts'

/** A token whose text was found good: of these, only times, binding, revocation and scope are checked again. */
export type CachedToken = {
  readonly claims: Claims
  readonly scopes: readonly string[]
  /** The last answer that it was accepted with: mostly the next one too. */
  answer: Verified | undefined
  /** The generation of the key set that verified the signature. */
  readonly generation: number
  /** The `kid` of its header. */
  readonly kid: string
  /** What the cut-offs of the feed are compared with: undefined until one may cover the token. */
  subjects: readonly Subject[] | undefined
  /** The facts by which it was clear, and their version then. */
  facts: Facts | undefined
  version: number
  /** Why this verifier alone cannot accept it; undefined for each that is kept. */
  readonly doubt: Refusal | undefined
}

export type Parts = {
  readonly settings: Settings
  readonly runtime: Runtime
  /** Aborted by `close()`. */
  readonly signal: AbortSignal
  readonly report: (problem: string) => void
  readonly readToken: ReturnType<typeof makeReader>
  readonly keySet: KeySet
  readonly introspection: Introspection
  readonly tokenCache: ReturnType<typeof makeTokenCache<CachedToken>>
  readonly digests: Digests
  readonly proofs: ProofMemory
  readonly doubts: { underWay: number }
  /** Undefined unless the mode is `feed`. */
  readonly feed: Feed | undefined
}

const freeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) freeze(member)
    Object.freeze(value)
  }
  return value
}

type Origin = { readonly kid: string; readonly generation: number; readonly doubt: Refusal | undefined }

const entryOf = (claims: Claims, { kid, generation, doubt }: Origin): CachedToken => {
  const scopes = Object.freeze(scopesOf(claims))
  return {
    claims: freeze(claims),
    scopes,
    answer: undefined,
    generation,
    kid,
    subjects: undefined,
    facts: undefined,
    version: 0,
    doubt,
  }
}

const accept = (entry: CachedToken, by: Verified['by']): Verified => {
  const { claims, scopes, answer } = entry
  if (answer?.by === by) return answer
  const accepted: Verified = Object.freeze({ ok: true, claims, scopes, by })
  entry.answer = accepted
  return accepted
}

const readClaimsOf = (
  parts: Parts,
  token: string,
): { readonly read: Unverified; readonly claims: Claims } | Refusal => {
  const { settings, readToken } = parts
  const read = readToken(token)
  if (isRefusal(read)) return read
  if (!settings.algorithms.has(read.alg)) return refusal('wrong_algorithm', 'alg is none that this verifier accepts.')
  const claims = readClaims(read.payload, settings)
  return isRefusal(claims) ? claims : { read, claims }
}

/** Reads and verifies a text that is not in the cache. In mode `introspect` the service alone verifies. */
const readNew = async (parts: Parts, token: string): Promise<CachedToken | Refusal> => {
  const { settings, keySet, tokenCache } = parts
  const found = readClaimsOf(parts, token)
  if (isRefusal(found)) return found
  const { read, claims } = found
  if (settings.mode === 'introspect') return entryOf(claims, { kid: read.kid, generation: 0, doubt: undefined })
  const generation = keySet.generation()
  const refused = await signatureRefusal(keySet, read)
  if (refused !== undefined && refused.refusal !== 'key_pending') return refused
  // To find the key may have changed the set: then once more, by the set that is there now.
  if (keySet.generation() !== generation) return readNew(parts, token)
  const entry = entryOf(claims, { kid: read.kid, generation, doubt: refused })
  if (entry.doubt === undefined) tokenCache.add(token, entry)
  return entry
}

const find = (parts: Parts, token: string): CachedToken | undefined => {
  const entry = parts.tokenCache.get(token)
  return entry !== undefined && parts.keySet.vouchesFor(entry.generation) ? entry : undefined
}

const ANY_TIME: TimeRange = { earliestMs: -Infinity, latestMs: Infinity }

/** The time of the service in mode `feed`, else of this machine. Never before a time by which facts were forgotten. */
const timeOf = ({ feed, runtime }: Parts): TimeRange => {
  if (feed === undefined) {
    const ms = runtime.wallMs()
    return { earliestMs: ms, latestMs: ms }
  }
  const { earliestMs, latestMs } = feed.staleness.serviceTime() ?? ANY_TIME
  const forgottenMs = feed.facts?.serviceMs() ?? 0
  return { earliestMs: Math.max(earliestMs, forgottenMs), latestMs: Math.max(latestMs, forgottenMs) }
}

/** How far the clocks of this machine may differ while proofs are judged by them: nothing else knows the time of a proof. */
const CLOCKS_APART_MS_MAX = 5000

/** A time to judge a proof by; undefined where a clock was set, and the service has not yet said how late it is. */
const proofTimeOf = ({ runtime }: Parts, { earliestMs, latestMs }: TimeRange): number | undefined => {
  if (latestMs === Infinity) return runtime.wallMs()
  return latestMs - earliestMs > CLOCKS_APART_MS_MAX ? undefined : latestMs
}

/** Judges at once if the digests of all its ids are known; else they are known when the promise has resolved. */
const judgeByFacts = ({ digests }: Parts, facts: Facts, entry: CachedToken): Verdict | Promise<void> => {
  const young = facts.judgeYoung(entry.claims)
  if (young !== undefined) return young
  const subjects = entry.subjects ?? subjectsOf(digests, entry.claims, entry.kid)
  if ('then' in subjects) return subjects.then(computed => void (entry.subjects = computed))
  entry.subjects = subjects
  return facts.judge(subjects)
}

/** The verdict of the feed; undefined where the feed is too stale. A promise means: ask again once it has resolved. */
const judgeByFeed = (parts: Parts, entry: CachedToken): Verdict | undefined | Promise<void> => {
  const { feed, settings } = parts
  const facts = feed?.facts
  if (facts === undefined || feed === undefined || feed.staleness.ms() > settings.maxStalenessMs) return undefined
  if (entry.facts === facts && entry.version === facts.version()) return 'clear'
  const verdict = judgeByFacts(parts, facts, entry)
  if (verdict === 'clear') {
    entry.facts = facts
    entry.version = facts.version()
  }
  return verdict
}

const CHANGED = refusal('keys_unavailable', 'The key set has changed while the request was checked.')

/** Why the key set no longer vouches for a token, where something was waited for since it did. */
const withdrawn = ({ settings, keySet }: Parts, { generation, doubt }: CachedToken): Refusal | undefined =>
  settings.mode !== 'introspect' && doubt === undefined && !keySet.vouchesFor(generation) ? CHANGED : undefined

const introspect = async (parts: Parts, token: string, entry: CachedToken): Promise<Verified | Refusal> =>
  (await parts.introspection.check(token, entry.claims)) ?? accept(entry, 'introspection')

/** Strangers can make up key ids, and with each have the service asked: so many of them wait for it at once. */
export const DOUBTS_AT_ONCE_MAX = 8

/** Asks the service about what this verifier cannot know, in mode `feed` unless it is set to refuse then. */
const resolveDoubt = async (
  parts: Parts,
  token: string,
  entry: CachedToken,
  doubt: Refusal,
): Promise<Verified | Refusal> => {
  const { settings, doubts } = parts
  if (settings.mode !== 'feed' || settings.whenStale === 'refuse' || doubts.underWay >= DOUBTS_AT_ONCE_MAX) return doubt
  doubts.underWay += 1
  try {
    return await introspect(parts, token, entry)
  } finally {
    doubts.underWay -= 1
  }
}

/** Whether the token has been revoked, by what the mode asks. */
const checkRevocation = (
  parts: Parts,
  token: string,
  entry: CachedToken,
): Verified | Refusal | Promise<Verified | Refusal> => {
  const { mode, whenStale } = parts.settings
  if (mode === 'offline') return accept(entry, 'signature')
  if (mode === 'introspect') return introspect(parts, token, entry)
  const verdict = judgeByFeed(parts, entry)
  if (typeof verdict === 'object')
    return verdict.then(() => withdrawn(parts, entry) ?? checkRevocation(parts, token, entry))
  if (verdict === 'clear') return accept(entry, 'feed')
  if (verdict === 'ended') return refusal('revoked', 'The revocation feed says that the token has ended.')
  if (whenStale === 'introspect') return introspect(parts, token, entry)
  return verdict === undefined
    ? refusal('stale', 'The revocation feed is staler than allowed.')
    : refusal('stale', 'The revocation feed holds a fact that cannot be compared with the token here.')
}

const scopeRefusal = ({ scopes }: Verified, wanted: readonly string[] = []): Refusal | undefined => {
  const missing = wanted.filter(item => !scopes.includes(item))
  return missing.length === 0 ? undefined : refusal('insufficient_scope', `The token lacks: ${missing.join(' ')}.`)
}

const UNTIMELY = refusal('stale', 'A clock of this machine was set, so whether the token has expired is not known.')

/** In mode `introspect` the service knows the time better. */
const untimelyNow = (parts: Parts, claims: Claims, time: TimeRange): Refusal | 'unsure' | undefined =>
  parts.settings.mode === 'introspect' ? undefined : timeRefusal(claims, time)

const CLOSED = refusal('closed', 'The verifier was closed.')

/** Why a token is not good any more that was before something was waited for. */
const changedMeanwhile = (parts: Parts, entry: CachedToken): Refusal | 'unsure' | undefined =>
  parts.signal.aborted ? CLOSED : (withdrawn(parts, entry) ?? untimelyNow(parts, entry.claims, timeOf(parts)))

type Decided = Verified | Refusal

/** A token that was read, with what is asked of it. */
type Presented = { readonly token: string; readonly entry: CachedToken; readonly asked: Asked }

/** By revocation, and by scope last, so that nothing is waited for between what the feed says and the answer. */
const decideUnbound = (
  parts: Parts,
  { token, entry, asked }: Presented,
  untimely: 'unsure' | undefined,
): Decided | Promise<Decided> => {
  const doubt = entry.doubt ?? (untimely && UNTIMELY)
  const checked = doubt === undefined ? checkRevocation(parts, token, entry) : resolveDoubt(parts, token, entry, doubt)
  const addScope = (decided: Decided): Decided =>
    isRefusal(decided) ? decided : (scopeRefusal(decided, asked.scopes) ?? decided)
  return 'then' in checked ? checked.then(addScope) : addScope(checked)
}

const decideBound = async (parts: Parts, presented: Presented, time: TimeRange): Promise<Decided> => {
  const { token, entry, asked } = presented
  const unbound = await checkBinding(parts, { token, claims: entry.claims, asked, nowMs: proofTimeOf(parts, time) })
  if (unbound !== undefined) return unbound
  const untimely = changedMeanwhile(parts, entry)
  return typeof untimely === 'object' ? untimely : decideUnbound(parts, presented, untimely)
}

const decide = (parts: Parts, presented: Presented): Decided | Promise<Decided> => {
  const { token, entry, asked } = presented
  const time = timeOf(parts)
  const untimely = untimelyNow(parts, entry.claims, time)
  if (typeof untimely === 'object') {
    if (untimely.refusal === 'expired') parts.tokenCache.forget(token)
    return untimely
  }
  return entry.claims.cnf !== undefined || asked.dpop !== undefined
    ? decideBound(parts, presented, time)
    : decideUnbound(parts, presented, untimely)
}

const decideNew = async (parts: Parts, token: string, asked: Asked): Promise<Decided> => {
  const entry = await readNew(parts, token)
  return isRefusal(entry) ? entry : (withdrawn(parts, entry) ?? decide(parts, { token, entry, asked }))
}

/** The token, or why it is refused: at once where it is cached and nothing must be waited for. */
export const verifyToken = (parts: Parts, token: string | undefined, asked: Asked): Decided | Promise<Decided> => {
  if (parts.signal.aborted) return CLOSED
  if (typeof token !== 'string' || token === '') return refusal('missing_token', 'There is no token.')
  const entry = find(parts, token)
  return entry === undefined ? decideNew(parts, token, asked) : decide(parts, { token, entry, asked })
}
