// The heartbeat of streams: where the feed stands, by a look at the store since the heartbeat before.
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { Beat } from './follower.ts'
import { heartbeatEvent } from './stream-follower.ts'
import type { Confirmed } from './watch-feed.ts'

export type Heartbeat = {
  /** Makes the next one, at this time. */
  readonly tick: (now: MonotonicMilliseconds) => void
  readonly latest: () => Beat | undefined
}

/** While the store does not answer there is none: it never repeats as new what was known before. */
export const makeHeartbeat = (confirmed: () => Confirmed | undefined, metrics: Metrics): Heartbeat => {
  let beat: Beat | undefined
  let lastAt = 0
  return {
    tick: now => {
      const known = confirmed()
      const before = lastAt
      lastAt = now
      if (known === undefined) return
      metrics.observe('mintmark_feed_head_age_seconds', {}, (now - known.askedAt) / 1000)
      if (known.askedAt < before) return
      beat = { askedAt: known.askedAt, event: heartbeatEvent(known.head) }
    },
    latest: () => beat,
  }
}
