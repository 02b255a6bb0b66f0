// The revocation feed: facts by which a verifier refuses a revoked token, in the order in which they take effect.
import type { FeedHead, PositionRange } from '../../../api/values/feed.ts'
import type { Seconds } from '../../../api/values/time.ts'
import type { CutOffFact } from '../domain/ledger/cut-off-fact.ts'

/** Facts of one page: single ends of one transaction count one each, and so does a cut-off. */
export const PAGE_FACTS_MAX = 8192

/** Every fact of the range that was not over, of one snapshot with its head. */
export type FeedPage = PositionRange & {
  readonly epoch: string
  readonly head: FeedHead
  /** Tokens that ended one by one: under the second of their `exp` the last 8 bytes of each id, one after another. */
  readonly ended: ReadonlyMap<Seconds, Uint8Array>
  readonly cutOffs: readonly CutOffFact[]
  /** The last second in which one of these facts matters; 0 without facts. */
  readonly until: Seconds
}

/** `epoch` null is the present one. `to` null: as far as a page goes. */
export type FeedRange = { readonly epoch: string | null; readonly from: number; readonly to: number | null }

export interface RevocationFeed {
  /**
   * Every act that was acknowledged before the call is at most at its position. On PostgreSQL a deposed primary answers
   * Unavailable. Callers of one turn share a read.
   */
  head(): Promise<FeedHead>
  /**
   * The facts after `from`, oldest first, at most {@link PAGE_FACTS_MAX} but whole transactions: `to` is smaller than the
   * head's position where there are more. `epoch_changed`: the epoch is another, or a position is beyond the feed's.
   */
  read(range: FeedRange): Promise<FeedPage | 'epoch_changed'>
}
