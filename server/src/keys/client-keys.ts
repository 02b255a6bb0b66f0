// The keys that client assertions are verified with: those that were registered, and those at an address, held in memory.
import type { KeyPlace, RegisteredJwk } from '../domain/client-trust.ts'
import { Unavailable } from '../domain/refusal.ts'
import type { Fetch } from './fetch-json.ts'
import { makeProviderKeyCache, type ProviderKeyCache } from './provider-key-cache.ts'
import { makeKeySetReader, READING_MILLISECONDS_MAX } from './provider-key-set.ts'
import { parseProviderKey, type ProviderKey } from './provider-key.ts'

/** Places whose keys are held; of more, those that were needed last. */
const PLACES_MAX = 1000
/** Requests that may wait for the keys of one place: a server that hangs must not take the room of all others. */
export const WAITING_A_PLACE_MAX = 128
export const WAITING_MAX = 512

export type ClientKeysOptions = {
  readonly fetch: Fetch
  /** Milliseconds that never step back, from any origin. */
  readonly monotonicNow: () => number
  readonly readingMilliseconds?: number
}

export type FindKeys = (place: KeyPlace, fits: (key: ProviderKey) => boolean) => Promise<readonly ProviderKey[]>

/** Remembers up to `max` values; the one that was asked for longest ago goes first. */
const remember = <T>(max: number, make: (key: string) => T): ((key: string) => T) => {
  const known = new Map<string, T>()
  return key => {
    const value = known.get(key) ?? make(key)
    known.delete(key)
    known.set(key, value)
    const [oldest] = known.keys()
    if (known.size > max && oldest !== undefined) known.delete(oldest)
    return value
  }
}

const parseKeys = (json: string): readonly ProviderKey[] =>
  (JSON.parse(json) as readonly RegisteredJwk[]).map(jwk => parseProviderKey(jwk)).filter(key => key !== undefined)

// What SPIFFE publishes says what it is for in a word of its own (SPIFFE Trust Domain and Bundle §4.2.2).
const usesOf = (issuer: string): readonly string[] => (issuer.startsWith('spiffe://') ? ['sig', 'jwt-svid'] : ['sig'])

type Place = { readonly keys: ProviderKeyCache; waiting: number }

const placeMaker =
  ({ fetch, monotonicNow, readingMilliseconds = READING_MILLISECONDS_MAX }: ClientKeysOptions) =>
  (key: string): Place => {
    const [issuerGiven, address] = JSON.parse(key) as readonly [string | null, string | null]
    const issuer = issuerGiven ?? address ?? ''
    const jwksUri = address ?? undefined
    const source = { issuer, jwksUri, fetch, monotonicNow, readingMilliseconds, uses: usesOf(issuer) }
    return { keys: makeProviderKeyCache({ issuer, read: makeKeySetReader(source), monotonicNow }), waiting: 0 }
  }

/** Throws Unavailable where keys at an address cannot be had, or as many as may already wait for them. */
export const makeClientKeys = (options: ClientKeysOptions): FindKeys => {
  const registered = remember(PLACES_MAX, parseKeys)
  const places = remember(PLACES_MAX, placeMaker(options))
  let waiting = 0

  const findFetched = async (place: Place, fits: (key: ProviderKey) => boolean): Promise<readonly ProviderKey[]> => {
    if (waiting >= WAITING_MAX || place.waiting >= WAITING_A_PLACE_MAX) {
      throw new Unavailable('More client assertions wait for the keys of their clients than are taken.')
    }
    waiting += 1
    place.waiting += 1
    try {
      return await place.keys.find(fits)
    } finally {
      waiting -= 1
      place.waiting -= 1
    }
  }

  return async ({ jwks, jwksUri, issuer }, fits) =>
    jwks === null
      ? findFetched(places(JSON.stringify([issuer, jwksUri])), fits)
      : registered(JSON.stringify(jwks)).filter(fits)
}
