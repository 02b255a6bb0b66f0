// The keys that client assertions are verified with: those that were registered, and those at an address, held in memory.
import type { KeyPlace, RegisteredJwk } from '../domain/client-trust.ts'
import { Unavailable } from '../domain/refusal.ts'
import type { Fetch } from './fetch-json.ts'
import { remember } from './least-recently-used.ts'
import { makeProviderKeyCache, type ProviderKeyCache } from './provider-key-cache.ts'
import { makeKeySetReader, READING_MILLISECONDS_MAX } from './provider-key-set.ts'
import { parseProviderKey, type ProviderKey } from './provider-key.ts'

/** Places whose keys are held; of more, those that were needed last. */
const PLACES_MAX = 1000
/** Requests that may wait for the keys of one place, the fewer the more wait for others; and for all places. */
export const WAITING_A_PLACE_MAX = 128
export const WAITING_MAX = 512

export type ClientKeysOptions = {
  readonly fetch: Fetch
  /** Milliseconds that never step back, from any origin. */
  readonly monotonicNow: () => number
  readonly readingMilliseconds?: number
}

export type FindKeys = (place: KeyPlace, fits: (key: ProviderKey) => boolean) => Promise<readonly ProviderKey[]>

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
    // A known key waits for nobody, however many unknown ones do.
    const held = place.keys.held(fits)
    if (held.length > 0) return held
    // No more for one place than is left for all others: however many hang, a further one finds room.
    if (place.waiting >= Math.min(WAITING_A_PLACE_MAX, WAITING_MAX - waiting)) {
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
