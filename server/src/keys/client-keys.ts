// The keys that client assertions are verified with: those that were registered, and those at an address, held in memory.
import type { KeyPlace, RegisteredJwk } from '../domain/client-trust.ts'
import { Unavailable } from '../domain/refusal.ts'
import type { MonotonicMilliseconds } from '../domain/time.ts'
import type { KeySets } from '../ports/key-sets.ts'
import { PLACES_MAX } from './key-sets.ts'
import { makeProviderKeyCache, type ProviderKeyCache } from './provider-key-cache.ts'
import { parseProviderKey, type ProviderKey } from './provider-key.ts'
import { remember } from './remember.ts'

/** Requests that may wait for the keys of any place; of one place, see provider-key-cache.ts. */
export const WAITING_MAX = 512

export type ClientKeysOptions = {
  readonly keySets: KeySets
  readonly monotonicNow: () => MonotonicMilliseconds
}

export type FindKeys = (place: KeyPlace, fits: (key: ProviderKey) => boolean) => Promise<readonly ProviderKey[]>

const parseKeys = (json: string): readonly ProviderKey[] =>
  (JSON.parse(json) as readonly RegisteredJwk[]).map(jwk => parseProviderKey(jwk)).filter(key => key !== undefined)

// What SPIFFE publishes says what it is for in a word of its own (SPIFFE Trust Domain and Bundle §4.2.2).
const usesOf = (issuer: string): readonly string[] => (issuer.startsWith('spiffe://') ? ['sig', 'jwt-svid'] : ['sig'])

const cacheMaker =
  ({ keySets, monotonicNow }: ClientKeysOptions) =>
  (key: string): ProviderKeyCache => {
    const [issuerGiven, jwksUri] = JSON.parse(key) as readonly [string | null, string | null]
    const issuer = issuerGiven ?? jwksUri ?? ''
    const place = { of: 'client', issuer, jwksUri } as const
    return makeProviderKeyCache({ place, keySets, uses: usesOf(issuer), monotonicNow })
  }

/** Throws Unavailable where keys at an address cannot be had, or as many as may already wait for them. */
export const makeClientKeys = (options: ClientKeysOptions): FindKeys => {
  const registered = remember(PLACES_MAX, parseKeys)
  const caches = remember(PLACES_MAX, cacheMaker(options))
  let waiting = 0

  const findFetched: FindKeys = async ({ issuer, jwksUri }, fits) => {
    if (waiting >= WAITING_MAX) {
      throw new Unavailable('More client assertions wait for the keys of their clients than are taken.')
    }
    waiting += 1
    try {
      return await caches(JSON.stringify([issuer, jwksUri])).find(fits)
    } finally {
      waiting -= 1
    }
  }

  return async (place, fits) =>
    place.jwks === null ? findFetched(place, fits) : registered(JSON.stringify(place.jwks)).filter(fits)
}
