// Key sets that are fetched in the thread of the test.
import type { Fetch } from '../../src/keys/fetch-json.ts'
import { makeKeySets } from '../../src/keys/key-sets.ts'
import type { KeySets } from '../../src/ports/key-sets.ts'

/** All by one fetch, by a clock that the test moves. */
export const keySetsBy = (
  fetchKeys: Fetch,
  monotonicNow: () => number,
  reading: { readonly readingMilliseconds?: number } = {},
): KeySets => makeKeySets({ fetches: { provider: fetchKeys, client: fetchKeys }, monotonicNow, ...reading })
