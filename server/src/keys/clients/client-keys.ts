// The keys that client assertions are verified with: registered ones, and ones at an address, which are cached.
import type { Metrics } from '../../ports/metrics.ts'
import type { KeyPlace, RegisteredJwk } from '../../domain/clients/client-trust.ts'
import { Unavailable } from '../../domain/refusal.ts'
import { makeShares } from '../../domain/shares.ts'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import type { KeySets } from '../../ports/key-sets.ts'
import type { Timing } from '../../ports/timing.ts'
import { PLACES_MAX } from '../providers/key-sets.ts'
import { makeProviderKeyCache, type ProviderKeyCache, WAITING_A_PLACE_MAX } from '../providers/provider-key-cache.ts'
import { parseMemberKey, type ProviderKey } from '../providers/provider-key.ts'
import { cache } from '../cache.ts'

/** Requests that may wait for the keys of all places. */
export const WAITING_MAX = 512

export type ClientKeysOptions = {
  readonly keySets: KeySets
  readonly monotonicNow: () => MonotonicMilliseconds
  readonly timing: Pick<Timing, 'keyAskAgainMs'>
  readonly metrics?: Metrics
}

export type FindKeys = (place: KeyPlace, fits: (key: ProviderKey) => boolean) => Promise<readonly ProviderKey[]>

const parseKeys = (json: string): readonly ProviderKey[] =>
  (JSON.parse(json) as readonly RegisteredJwk[]).map(jwk => parseMemberKey(jwk)).filter(key => key !== undefined)

// SPIFFE has its own value of `use` (SPIFFE Trust Domain and Bundle §4.2.2).
const usesOf = (issuer: string): readonly string[] => (issuer.startsWith('spiffe://') ? ['sig', 'jwt-svid'] : ['sig'])

const placeMaker =
  ({ keySets, monotonicNow, timing }: ClientKeysOptions) =>
  (key: string): ProviderKeyCache => {
    const [issuerGiven, jwksUri] = JSON.parse(key) as readonly [string | null, string | null]
    const issuer = issuerGiven ?? jwksUri ?? ''
    const place = { of: 'client', issuer, jwksUri } as const
    return makeProviderKeyCache({ place, keySets, uses: usesOf(issuer), monotonicNow, timing })
  }

/** Throws Unavailable where the keys at an address cannot be read, or too many requests already wait for them. */
export const makeClientKeys = (options: ClientKeysOptions): FindKeys => {
  const registered = cache(PLACES_MAX, parseKeys)
  const places = cache(PLACES_MAX, placeMaker(options))
  const waiting = makeShares()

  const findFetched = async (place: string, fits: (key: ProviderKey) => boolean): Promise<readonly ProviderKey[]> => {
    const keys = places(place)
    // A known key waits for no other request, however many unknown ones do.
    const held = keys.held(fits)
    if (held.length > 0) return held
    // No more for one place than is left for all others: however many hang, another place finds room.
    if (waiting.of(place) >= Math.min(WAITING_A_PLACE_MAX, WAITING_MAX - waiting.all())) {
      throw new Unavailable('More client assertions wait for the keys of their clients than are taken.', {
        limit: 'key_sets',
      })
    }
    const { release } = waiting.take(place)
    return keys.find(fits).finally(release)
  }

  return async ({ jwks, jwksUri, issuer }, fits) =>
    jwks === null ? findFetched(JSON.stringify([issuer, jwksUri]), fits) : registered(JSON.stringify(jwks)).filter(fits)
}
