// The keys of one issuer in the memory of a thread that verifies: how long they are trusted, and when newer ones are asked for;
// and which of its signatures were verified lately.
import { Unavailable } from '../../domain/refusal.ts'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import type { KeySet, KeySetPlace, KeySets, ReadingFailure } from '../../ports/key-sets.ts'
import type { Timing } from '../../ports/timing.ts'
import { parseMemberKey, type ProviderKey, type ProviderAlgorithm } from './provider-key.ts'
import { hash, type KeyObject } from 'node:crypto'
import { type CompactJws, verifySignature } from '../verify-signature.ts'
import type { VerificationQueue } from './verification-queue.ts'

/** Older keys are read again before they are used. */
export const KEYS_FRESH_MILLISECONDS = 600_000
/** The longest time that a key removed at the provider is still trusted: every reading since then has failed. */
export const KEYS_HELD_MILLISECONDS_MAX = 1_800_000
/** Requests that may wait for the keys of one place: a server that hangs must not block requests for the keys of others. */
export const WAITING_A_PLACE_MAX = 128

/** Readings that one request may wait for: that of another thread, one that began before the request arrived, and its own. */
const ASKED_MAX = 3

export type ProviderKeyCache = {
  /** The keys in memory that fit, without waiting; none where no good one fits or the set must be read again first. */
  held(fits: (key: ProviderKey) => boolean): readonly ProviderKey[]
  /**
   * The keys that fit. Where none does, or none is good, the set is read again if it is time for that. Throws Unavailable
   * where newer keys are needed and cannot be read, or too many requests already wait for them.
   */
  find(fits: (key: ProviderKey) => boolean): Promise<readonly ProviderKey[]>
}

const NOT_READ: ReadingFailure = { cause: 'they were not read yet', detail: 'not read' }

/** The message for an operator: whose keys are missing, why, and what works without them. */
const describeOutage = (issuer: string, cause: string): string =>
  `The keys of the identity provider ${issuer} cannot be read: ${cause}. ` +
  'Try again; until they can be read, use an API key, or the command mintmark beside the store. ' +
  'GET /readyz?verbose shows the state, and the log the whole reason.'

const OWNERS = { provider: 'identity provider', client: 'identity provider', issuer: 'trusted issuer' } as const

const unread = ({ of, issuer }: KeySetPlace, failure: ReadingFailure | null): Unavailable => {
  const { cause, detail } = failure ?? NOT_READ
  const message = `The keys of the ${OWNERS[of]} ${issuer} cannot be had: ${detail}.`
  // The reason for keys that a client or the administrator of an issuer names would reveal to its owner what is at an address of the service's own network.
  return new Unavailable(message, of === 'provider' ? { toCaller: describeOutage(issuer, cause) } : {})
}

/** Whether signatures can be verified with it: a weak key may have been replaced. */
const isGood = (key: ProviderKey): boolean => 'key' in key.read()

const crowded = ({ issuer }: KeySetPlace): Unavailable =>
  new Unavailable(`More JWTs wait for the keys of ${issuer} than are taken.`, { limit: 'key_sets' })

type CacheOptions = {
  readonly place: KeySetPlace
  readonly keySets: KeySets
  /** The values of a key's `use` that are accepted; by default `sig`. */
  readonly uses?: readonly string[]
  readonly monotonicNow: () => MonotonicMilliseconds
  readonly timing: Pick<Timing, 'keyAskAgainMs'>
}

type KeysByText = ReadonlyMap<string, ProviderKey | undefined>

/** A key that is also in the newer set stays the same object: its verified signatures are cached by it. */
const parseKeys = (jwks: readonly unknown[], held: KeysByText, uses: readonly string[] | undefined): KeysByText => {
  const texts = jwks.map(jwk => [JSON.stringify(jwk), jwk] as const)
  return new Map(texts.map(([text, jwk]) => [text, held.get(text) ?? parseMemberKey(jwk, uses)]))
}

export const makeProviderKeyCache = (options: CacheOptions): ProviderKeyCache => {
  const { place, keySets, uses, monotonicNow, timing } = options
  let times: Omit<KeySet, 'jwks'> = { readAt: -Infinity, nextReadingAt: -Infinity, failure: null }
  let keys: KeysByText = new Map()
  let asking: Promise<void> | undefined
  let waiting = 0

  const age = (): number => monotonicNow() - times.readAt

  const heldKeys = (): readonly ProviderKey[] => {
    if (age() >= KEYS_HELD_MILLISECONDS_MAX) throw unread(place, times.failure)
    return [...keys.values()].filter(key => key !== undefined)
  }

  const take = ({ jwks, ...newer }: KeySet): void => {
    if (newer.readAt !== times.readAt) keys = parseKeys(jwks, keys, uses)
    times = newer
  }

  const ask = async (): Promise<void> => {
    try {
      take(await keySets.latest(place, times.readAt))
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault
      const failure = { cause: 'they were not handed over in time', detail: fault.message }
      times = { ...times, failure, nextReadingAt: monotonicNow() + timing.keyAskAgainMs }
    }
  }

  /** Whether a newer set can be read for a request that arrived at `arrivedAt`: a set that was read since then is new enough. */
  const mayBeNewer = (arrivedAt: MonotonicMilliseconds): boolean =>
    times.readAt < arrivedAt && (asking !== undefined || monotonicNow() >= times.nextReadingAt)

  /** Asks for the latest set if it may be newer; all callers wait for one answer. False: too many already wait. */
  const renew = async (): Promise<boolean> => {
    if (asking === undefined && monotonicNow() < times.nextReadingAt) return true
    if (waiting >= WAITING_A_PLACE_MAX) return false
    asking ??= ask().finally(() => {
      asking = undefined
    })
    waiting += 1
    try {
      await asking
    } finally {
      waiting -= 1
    }
    return true
  }

  return {
    held: fits => {
      const known = age() < KEYS_FRESH_MILLISECONDS ? heldKeys().filter(fits) : []
      return known.some(isGood) ? known : []
    },
    find: async fits => {
      const arrivedAt = monotonicNow()
      // Where too many wait, the keys in memory are trusted for the time of that reading.
      if (age() >= KEYS_FRESH_MILLISECONDS && !(await renew()) && age() >= KEYS_HELD_MILLISECONDS_MAX)
        throw crowded(place)
      let known = heldKeys().filter(fits)
      for (let asked = 0; asked < ASKED_MAX && !known.some(isGood) && mayBeNewer(arrivedAt); asked += 1) {
        if (!(await renew())) throw crowded(place)
        known = heldKeys().filter(fits)
      }
      // The last reading failed, so the key may exist: no answer would be true.
      if (times.failure !== null && !known.some(isGood)) throw unread(place, times.failure)
      return known
    },
  }
}

// Checks the signatures of JWTs of issuers. The tools of operators, and workloads, send the same JWT many times.

/** Verified JWTs that are cached, by their hashes: a verified JWT is a secret, and is not kept. */
const KNOWN_MAX = 4000

/** The key must be one that permits the algorithm. `source` is where the JWT came from. */
export type SignatureCheck = (
  jws: CompactJws,
  algorithm: ProviderAlgorithm,
  key: KeyObject,
  source: string,
) => Promise<boolean>

/** Verifies each time, for JWTs that may be sent once. */
export const makeSignatureCheck =
  (queue: VerificationQueue): SignatureCheck =>
  (jws, algorithm, key, source) =>
    queue(source, () => verifySignature(jws, algorithm, key))

/**
 * Verifies each exact text once for each key; a text that is cached does not enter the queue. That this key made that
 * signature stays true; what can change (the provider's keys, times, audience, roles) is checked elsewhere each time.
 */
export const makeRepeatedSignatureCheck = (queue: VerificationQueue): SignatureCheck => {
  const known = new Map<string, KeyObject>()
  const check = makeSignatureCheck(queue)
  return async (jws, algorithm, key, source) => {
    const own = hash('sha256', jws.text, 'base64url')
    if (known.get(own) === key) return true
    if (!(await check(jws, algorithm, key, source))) return false
    const [oldest] = known.keys()
    if (known.size >= KNOWN_MAX && oldest !== undefined) known.delete(oldest)
    known.set(own, key)
    return true
  }
}
