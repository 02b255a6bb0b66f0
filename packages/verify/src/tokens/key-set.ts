// The key set of the issuer (RFC 7517 §5): held, read again before it is old, and once more for a key that is not in it.
import { type CryptoKey, importJWK, type JWK } from 'jose'
import { isCanonical } from '../readers/compact-jws.ts'
import { isJsonObject, type JsonObject, parseObject } from '../readers/json.ts'
import { hasPrivateMember } from '../readers/jwk.ts'
import { isKid } from '../readers/kid.ts'
import { describeFault, type Fetch, request } from '../wire/http.ts'
import { elapsedMs, type Instant, instantOf, type Runtime } from '../wire/runtime.ts'
import { makeSharedReading } from './shared-reading.ts'

/** The parameters of `crypto.subtle.verify`. */
type Parameters = { readonly name: string; readonly hash?: string; readonly saltLength?: number }

type AlgorithmRow = { readonly kind: string; readonly parameters: Parameters }

const ED25519: AlgorithmRow = { kind: 'OKP Ed25519', parameters: { name: 'Ed25519' } }

/** The algorithms of Mintmark's signing keys (RFC 7518 §3, RFC 8037, RFC 9864), each with the kind of key that it is for. */
const ROWS = {
  ES256: { kind: 'EC P-256', parameters: { name: 'ECDSA', hash: 'SHA-256' } },
  RS256: { kind: 'RSA', parameters: { name: 'RSASSA-PKCS1-v1_5' } },
  PS256: { kind: 'RSA', parameters: { name: 'RSA-PSS', saltLength: 32 } },
  EdDSA: ED25519,
  Ed25519: ED25519,
  'ML-DSA-65': { kind: 'AKP', parameters: { name: 'ML-DSA-65' } },
} as const satisfies Readonly<Record<string, AlgorithmRow>>

export type Algorithm = keyof typeof ROWS

export const ALGORITHMS = Object.keys(ROWS) as readonly Algorithm[]

export const isAlgorithm = (name: unknown): name is Algorithm => typeof name === 'string' && Object.hasOwn(ROWS, name)

export type VerificationKey = {
  readonly kid: string
  readonly alg: Algorithm
  readonly key: CryptoKey
  readonly parameters: Parameters
  /** The JWK as text, by which another key under the same id is recognized. */
  readonly text: string
}

export const KEY_SET_BYTES_MAX = 262_144
export const KEYS_MAX = 64
const REQUEST_MS_MAX = 5000
/**
 * Longer than a reading takes. One that takes longer never ends: a worker's runtime stops what a request began and
 * did not wait for, and neither its promise nor its timers are heard of again.
 */
export const READING_MS_MAX = REQUEST_MS_MAX + 1000
/** Mintmark publishes a key before it signs with it, for longer than this. */
const FRESH_MS = 300_000
/** The pause after a reading that failed. */
const RETRY_MS = 5000
/** The time between readings that unknown key ids cause, which any caller can make up. Two in a row are allowed once. */
export const UNKNOWN_KID_COOLDOWN_MS = 16_000
const UNKNOWN_KID_BURST = 2
/** A reading under way may have begun before the demand, and then does not meet it: a second one has to follow. */
const READINGS_TO_WAIT_FOR = 2

/** A cache on the way may hold the set for minutes; this verifier knows when it needs another. */
const UNCACHED = { 'cache-control': 'no-cache' }

const kindOf = ({ kty, crv }: JsonObject): string =>
  typeof crv === 'string' && kty !== 'RSA' ? `${String(kty)} ${crv}` : String(kty)

/** The exponent that every RSA key of Mintmark has: jose takes 1, under which anybody can sign. */
const RSA_EXPONENT = 'AQAB'
/** RFC 7518 §3.3: of 2048 bits or more. */
const RSA_MODULUS_CHARACTERS_MIN = 342

const isStrongRsa = ({ n, e }: JsonObject): boolean =>
  e === RSA_EXPONENT && typeof n === 'string' && n.length >= RSA_MODULUS_CHARACTERS_MIN

/** The numbers of a public key (RFC 7518 §6, RFC 8037 §2), and `pub` of ML-DSA. Some runtimes take them with padding, others do not. */
const NUMBERS = ['x', 'y', 'n', 'pub']

const isNumber = (value: unknown): boolean => value === undefined || (typeof value === 'string' && isCanonical(value))

const isUsable = (jwk: unknown): jwk is JWK & { kid: string; alg: Algorithm } => {
  if (!isJsonObject(jwk) || !isAlgorithm(jwk['alg'])) return false
  const { kid, alg, use = 'sig' } = jwk
  const isNamed = typeof kid === 'string' && isKid(kid)
  return (
    isNamed &&
    use === 'sig' &&
    kindOf(jwk) === ROWS[alg].kind &&
    (jwk['kty'] !== 'RSA' || isStrongRsa(jwk)) &&
    NUMBERS.every(name => isNumber(jwk[name])) &&
    !hasPrivateMember(jwk)
  )
}

/** A key that this runtime cannot import (ML-DSA where it has none), or not to verify (RFC 7517 §4.3), is left out: tokens under it are refused. */
const importKey = async (jwk: JWK & { kid: string; alg: Algorithm }): Promise<VerificationKey | undefined> => {
  try {
    const key = await importJWK(jwk, jwk.alg)
    return key instanceof Uint8Array || !key.usages.includes('verify')
      ? undefined
      : { kid: jwk.kid, alg: jwk.alg, key, parameters: ROWS[jwk.alg].parameters, text: JSON.stringify(jwk) }
  } catch {
    return undefined
  }
}

/** The keys by their ids. Throws for what is no key set, or one without a key that can be used. */
const parseKeySet = async (bytes: Uint8Array): Promise<ReadonlyMap<string, VerificationKey>> => {
  const members: unknown = parseObject(bytes)?.['keys']
  if (!Array.isArray(members) || members.length > KEYS_MAX) throw new Error('The answer is not a key set.')
  const usable = (members as readonly unknown[]).filter(isUsable)
  const keys = (await Promise.all(usable.map(importKey))).filter(key => key !== undefined)
  const byKid = new Map(keys.map(key => [key.kid, key]))
  if (byKid.size === 0) throw new Error('The key set holds no key that can be used.')
  if (byKid.size < keys.length) throw new Error('Two keys of the key set have one kid.')
  return byKid
}

export type KeySet = {
  /**
   * The key of this id. Reads the set where it is not held, is too old, or has no such key and may be read again. `pending`: it may
   * not, because others' key ids had it read a moment ago, so a new key may be missing.
   */
  readonly find: (kid: string) => Promise<VerificationKey | 'unknown' | 'pending' | 'unavailable'>
  /** The key of this id, where it is held and believed: what {@link find} would find without waiting. */
  readonly peek: (kid: string) => VerificationKey | undefined
  /** Reads the set now. A reading that fails is reported. */
  readonly load: () => Promise<void>
  /** A key may be in other hands: nothing is verified by the set until it is read again. */
  readonly distrust: () => void
  /** Grows when a key that was held is gone or is another: what was verified by it must be verified again. */
  readonly generation: () => number
  /** Whether what was verified in this generation still is. Reads the set in the background, as {@link refresh} does. */
  readonly vouchesFor: (generation: number) => boolean
  /** How old the set is, in ms; undefined where none is held. */
  readonly ageMs: () => number | undefined
  /** Reads the set in the background where it is older than it should be. */
  readonly refresh: () => void
  /** Whether the set is too old to accept anything by it. */
  readonly isTooOld: () => boolean
}

export type KeySetOptions = {
  readonly url: string
  readonly fetch: Fetch
  readonly runtime: Runtime
  /** The age in ms beyond which a set is not trusted. */
  readonly ageMsMax: number
  /** Receives each reading that failed. */
  readonly report: (problem: string) => void
  readonly signal: AbortSignal
}

type Held = { readonly keys: ReadonlyMap<string, VerificationKey>; readonly since: Instant }

/** How many readings unknown key ids may cause: two at once, then one each {@link UNKNOWN_KID_COOLDOWN_MS}. */
const makeAllowance = (runtime: Runtime): (() => boolean) => {
  let left = UNKNOWN_KID_BURST
  let since = instantOf(runtime)
  return () => {
    const earned = Math.floor(elapsedMs(runtime, since) / UNKNOWN_KID_COOLDOWN_MS)
    if (earned > 0 || left === UNKNOWN_KID_BURST) since = instantOf(runtime)
    left = Math.min(UNKNOWN_KID_BURST, left + earned)
    if (left === 0) return false
    left -= 1
    return true
  }
}

const fetchKeys = async ({ url, fetch, runtime, signal }: KeySetOptions): Promise<Held> => {
  const since = instantOf(runtime)
  const wanted = { url, headers: UNCACHED, timeoutMs: REQUEST_MS_MAX, bytesMax: KEY_SET_BYTES_MAX, signal }
  return { keys: await parseKeySet((await request({ fetch, runtime }, wanted)).bytes), since }
}

const isChanged = (before: Held | undefined, after: Held): boolean =>
  [...(before?.keys.values() ?? [])].some(({ kid, text }) => after.keys.get(kid)?.text !== text)

export const makeKeySet = (options: KeySetOptions): KeySet => {
  const { runtime, ageMsMax, report, signal } = options
  const takeAllowance = makeAllowance(runtime)
  const freshMs = Math.min(FRESH_MS, ageMsMax / 2)
  let held: Held | undefined
  let generation = 0
  let failedAt: Instant | undefined
  // Readings that were demanded, and how many of the demands came before the reading that is held.
  let demands = 0
  let demandsMet = 0

  const read = async (isAwaited: () => boolean): Promise<void> => {
    const meets = demands
    try {
      const next = await fetchKeys(options)
      if (!isAwaited()) return
      demandsMet = meets
      if (isChanged(held, next)) generation += 1
      held = next
      failedAt = undefined
    } catch (fault) {
      if (!isAwaited()) return
      failedAt = instantOf(runtime)
      if (!signal.aborted) report(`The key set could not be read: ${describeFault(fault)}`)
    }
  }
  const reading = makeSharedReading(runtime, READING_MS_MAX, read)

  const ageMs = (): number | undefined => held && elapsedMs(runtime, held.since)
  // After a reading that was lost, one in the background would be lost too: a token has to wait for it.
  const isTooOld = (age = ageMs()): boolean => demandsMet < demands || (age ?? Infinity) > ageMsMax || reading.isLost()
  const mayRead = (): boolean => reading.isUnderWay() || mayRetry()
  const mayRetry = (): boolean => failedAt === undefined || elapsedMs(runtime, failedAt) >= RETRY_MS
  const refresh = (age = ageMs()): void => {
    if (!reading.isUnderWay() && (age ?? Infinity) > freshMs && mayRetry()) void reading.once()
  }
  const vouchesFor = (verifiedIn: number): boolean => {
    const age = ageMs()
    refresh(age)
    return verifiedIn === generation && !isTooOld(age)
  }

  const find: KeySet['find'] = async kid => {
    for (let tries = 0; tries < READINGS_TO_WAIT_FOR && isTooOld() && mayRead(); tries += 1) await reading.once()
    if (held === undefined || isTooOld()) return 'unavailable'
    refresh()
    const known = held.keys.get(kid)
    if (known !== undefined) return known
    if (!reading.isUnderWay() && !takeAllowance()) return 'pending'
    await reading.once()
    return isTooOld() ? 'unavailable' : (held.keys.get(kid) ?? 'unknown')
  }

  const peek = (kid: string) => (vouchesFor(generation) ? held?.keys.get(kid) : undefined)

  return {
    find,
    peek,
    load: reading.once,
    distrust: () => {
      demands += 1
    },
    generation: () => generation,
    vouchesFor,
    ageMs,
    refresh,
    isTooOld,
  }
}
