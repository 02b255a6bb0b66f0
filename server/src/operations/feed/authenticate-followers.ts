// Recognizes who follows the revocation feed, and who may do so no longer.
import type { ApiKeyCaller } from '../../domain/caller.ts'
import { oneByOne } from '../../domain/one-by-one.ts'
import { isRefused, type OrRefusal } from '../../domain/refusal.ts'
import type { Sha256 } from '../../domain/text/text.ts'
import type { Ports } from '../../ports/ports.ts'
import {
  authenticateApiKeys,
  type PresentedApiKey,
  type Introspector,
  isIntrospector,
  authorizeIntrospector,
} from '../authentication/authenticate-api-key.ts'

type FollowerPorts = Pick<Ports, 'apiKeys' | 'secrets'>

/** A caller that may follow the feed. `keyHash`: by which its key is found again. */
export type FeedCaller = { readonly caller: ApiKeyCaller; readonly keyHash: Sha256 }

const NO_KEY: PresentedApiKey = { key: '', id: null }

export const FEED = 'The revocation feed'

const authenticateAll = async (
  ports: FollowerPorts,
  requests: readonly Introspector[],
): Promise<readonly OrRefusal<FeedCaller>[]> => {
  const presented = requests.map(({ apiKey }) => apiKey ?? NO_KEY)
  const found = await authenticateApiKeys(ports, presented)
  return requests.map((request, n) => {
    const caller = authorizeIntrospector(request, found[n], FEED)
    return isRefused(caller) ? caller : { caller, keyHash: ports.secrets.hash(presented[n]?.key ?? '') }
  })
}

/** The caller of each request of a group, in order, if it may follow the feed. An Error is the fault of that request alone. */
export const authenticateFollowers = (
  ports: FollowerPorts,
  requests: readonly Introspector[],
): Promise<readonly (OrRefusal<FeedCaller> | Error)[]> => oneByOne(requests, some => authenticateAll(ports, some))

/** Returns those of the keys that may follow the feed now. */
export const findFollowing = async (
  { apiKeys }: Pick<Ports, 'apiKeys'>,
  keyHashes: readonly Sha256[],
): Promise<ReadonlySet<Sha256>> => {
  const found = await apiKeys.find(keyHashes)
  return new Set(
    keyHashes.filter((_, n) => {
      const apiKey = found[n]
      return apiKey !== undefined && isIntrospector(apiKey)
    }),
  )
}
