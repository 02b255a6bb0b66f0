// Whether the JWTs of an identity provider or a trusted issuer can be verified: whether its keys can be read, and are of any use.
import { Unavailable } from '../../domain/refusal.ts'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import type { KeySet, KeySetPlace, KeySets, ProviderState } from '../../ports/key-sets.ts'
import { KEYS_HELD_MILLISECONDS_MAX } from './provider-key-cache.ts'
import { parseProviderKey, permits, type ProviderAlgorithm } from './provider-key.ts'

type CheckOptions = {
  readonly place: KeySetPlace
  readonly algorithms: readonly ProviderAlgorithm[]
  readonly keySets: KeySets
  readonly monotonicNow: () => MonotonicMilliseconds
}

const isUsable = (jwk: unknown, algorithms: readonly ProviderAlgorithm[]): boolean => {
  const key = parseProviderKey(jwk)
  return key !== undefined && algorithms.some(name => permits(key, name, key.kid)) && 'key' in key.read()
}

/** Asks for the set where a newer one can be had, and reads its keys once: anybody may call it at any rate. */
export const makeKeySetCheck = ({ place, algorithms, keySets, monotonicNow }: CheckOptions) => {
  const { issuer } = place
  const noKey = `its key set holds no usable key for ${algorithms.join(', ')}`
  let known: { readonly set: KeySet; readonly hasKey: boolean } | undefined

  const renew = async () => {
    if (known !== undefined && monotonicNow() < known.set.nextReadingAt) return known
    // A set that was read is not asked for again: the reading is kept for a key that appears.
    const seenAt = known === undefined || known.set.failure === null ? -Infinity : known.set.readAt
    const set = await keySets.latest(place, seenAt)
    if (known?.set.readAt === set.readAt) return (known = { ...known, set })
    return (known = { set, hasKey: set.jwks.some(jwk => isUsable(jwk, algorithms)) })
  }

  const stateOf = ({ set, hasKey }: NonNullable<typeof known>): ProviderState => {
    if (set.failure === null) {
      return hasKey ? { issuer, status: 'ok' } : { issuer, status: 'unavailable', cause: noKey, detail: noKey }
    }
    const isHeld = hasKey && monotonicNow() - set.readAt < KEYS_HELD_MILLISECONDS_MAX
    return { issuer, status: isHeld ? 'stale' : 'unavailable', ...set.failure }
  }

  return async (): Promise<ProviderState> => {
    try {
      return stateOf(await renew())
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault
      return { issuer, status: 'unavailable', cause: 'its keys were not handed over in time', detail: fault.message }
    }
  }
}
