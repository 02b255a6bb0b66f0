// Key sets that are fetched in the thread of the test.
import type { Fetch } from '../../server/src/keys/providers/fetch-json.ts'
import { makeKeySets } from '../../server/src/keys/providers/key-sets.ts'
import type { KeySets } from '../../server/src/ports/key-sets.ts'
import { TIMING, type Timing } from '../../server/src/ports/timing.ts'

/** All by one fetch, by a clock that the test moves. */
export const keySetsBy = (fetchKeys: Fetch, monotonicNow: () => number, timing: Timing = TIMING): KeySets =>
  makeKeySets({ timing, fetches: { provider: fetchKeys, client: fetchKeys, issuer: fetchKeys }, monotonicNow })
