// Keys at the addresses of clients and trusted issuers, cached by place. The requests that wait for them are bounded.
import { Unavailable } from '../../domain/refusal.ts'
import { makeShares } from '../../domain/shares.ts'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import type { KeySetPlace, KeySets } from '../../ports/key-sets.ts'
import type { Timing } from '../../ports/timing.ts'
import { cache } from '../cache.ts'
import { PLACES_MAX } from './key-sets.ts'
import { makeProviderKeyCache, type ProviderKeyCache, WAITING_A_PLACE_MAX } from './provider-key-cache.ts'
import type { ProviderKey } from './provider-key.ts'

/** Requests that may wait for the keys of all places. */
const WAITING_MAX = 512

export type FetchedKeysOptions = {
  readonly keySets: KeySets
  readonly monotonicNow: () => MonotonicMilliseconds
  readonly timing: Pick<Timing, 'keyAskAgainMs'>
}

type Place = Omit<KeySetPlace, 'of'>

type FindFetched = (place: Place, fits: (key: ProviderKey) => boolean) => Promise<readonly ProviderKey[]>

// SPIFFE has its own value of `use` (SPIFFE Trust Domain and Bundle §4.2.2).
const usesOf = (issuer: string): readonly string[] => (issuer.startsWith('spiffe://') ? ['sig', 'jwt-svid'] : ['sig'])

const placeMaker =
  (of: KeySetPlace['of'], options: FetchedKeysOptions) =>
  (key: string): ProviderKeyCache => {
    const [issuer, jwksUri] = JSON.parse(key) as readonly [string, string | null]
    return makeProviderKeyCache({ place: { of, issuer, jwksUri }, uses: usesOf(issuer), ...options })
  }

/**
 * Finds the keys of a place, and of no other. Throws Unavailable where they cannot be read, or too many requests already wait;
 * `crowded` says so for the log.
 */
export const makeFetchedKeys = (of: KeySetPlace['of'], options: FetchedKeysOptions, crowded: string): FindFetched => {
  const places = cache(PLACES_MAX, placeMaker(of, options))
  const waiting = makeShares()
  return async ({ issuer, jwksUri }, fits) => {
    const place = JSON.stringify([issuer, jwksUri])
    const keys = places(place)
    // A known key waits for no other request, however many unknown ones do.
    const held = keys.held(fits)
    if (held.length > 0) return held
    // No more for one place than is left for all others: however many hang, another place finds room.
    if (waiting.of(place) >= Math.min(WAITING_A_PLACE_MAX, WAITING_MAX - waiting.all())) {
      throw new Unavailable(crowded, { limit: 'key_sets' })
    }
    const { release } = waiting.take(place)
    return keys.find(fits).finally(release)
  }
}
