// What the development identity provider remembers of those who sign in: in memory, and no more than it has room for.
import type { Adapter, AdapterPayload } from 'oidc-provider'

/** The most entries; beyond them the oldest is forgotten. */
const KEPT_MAX = 1000
const KEPT_SECONDS_MAX = 43_200

type Kept = { readonly payload: AdapterPayload; readonly until: number }

/** Makes one adapter for each kind of record. */
export const makeProviderMemory = (): ((kind: string) => Adapter) => {
  const kept = new Map<string, Kept>()

  const find = (key: string): AdapterPayload | undefined => {
    const one = kept.get(key)
    if (one === undefined || one.until > Date.now()) return one?.payload
    kept.delete(key)
    return undefined
  }

  return kind => {
    const keyOf = (id: string): string => `${kind} ${id}`
    return {
      upsert: async (id, payload, expiresIn = KEPT_SECONDS_MAX) => {
        const [oldest] = kept
        if (kept.size >= KEPT_MAX && oldest !== undefined) kept.delete(oldest[0])
        kept.set(keyOf(id), { payload, until: Date.now() + expiresIn * 1000 })
      },
      find: async id => find(keyOf(id)),
      // Nothing here has a code for a person to type.
      findByUserCode: async () => undefined,
      findByUid: async uid => [...kept.values()].map(({ payload }) => payload).find(payload => payload.uid === uid),
      consume: async id => {
        const payload = find(keyOf(id))
        if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000)
      },
      destroy: async id => {
        kept.delete(keyOf(id))
      },
      // Of its kind alone: the sign-in of another operator, by which the one before is signed out, names that one's grant too.
      revokeByGrantId: async grantId => {
        for (const [key, { payload }] of kept) {
          if (key.startsWith(keyOf('')) && payload.grantId === grantId) kept.delete(key)
        }
      },
    }
  }
}
