// What a stream and a waiting request for changes have in common.
import type { Buffer } from 'node:buffer'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { Sha256 } from '../../../domain/text/text.ts'
import type { FeedWatch } from './watch-feed.ts'

/** The newest heartbeat as an event. `askedAt`: when its look at the store began. */
export type Beat = { readonly askedAt: MonotonicMilliseconds; readonly event: Buffer }

/** What there is to write. */
export type News = Pick<FeedWatch, 'recent' | 'confirmed' | 'reached'> & { readonly beat: () => Beat | undefined }

/** `moved_on`: the service ends, or has kept the connection for long. */
export type EndReason = 'epoch_changed' | 'not_permitted' | 'moved_on'

export type Follower = {
  readonly kind: 'stream' | 'changes'
  readonly keyHash: Sha256
  /** When it has stayed long enough. */
  readonly endsAt: MonotonicMilliseconds
  /** Writes what there is, before it returns. */
  readonly serve: (news: News) => void
  readonly end: (reason: EndReason) => void
}

/** Where a follower stands that the service let in. */
export type Entry = { readonly keyHash: Sha256; readonly epoch: string; readonly position: number }
