// Watches the feed while somebody follows it: asks for its head again and again, and reads and signs what is new, once.
import { setTimeout as delay } from 'node:timers/promises'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { RangeReader } from '../../../operations/feed/read-range.ts'
import type { InTime } from '../../../ports/deadline.ts'
import type { Ports } from '../../../ports/ports.ts'
import { SIGNATURE_KEPT_SECONDS } from '../../../operations/feed/sign-documents.ts'
import type { FeedHead } from '../../../ports/revocation-feed.ts'
import type { Timing } from '../../../ports/timing.ts'
import { makeRecentChanges, type RecentChanges } from './recent-changes.ts'

/** What the store confirmed last: `askedAt` is when its head was asked for, and all changes up to it are in `recent`. */
export type Confirmed = { readonly head: FeedHead; readonly askedAt: MonotonicMilliseconds }

type WatchOptions = {
  readonly ports: Pick<Ports, 'feed' | 'monotonic'> & { readonly timing: Pick<Timing, 'feedPollMs' | 'feedPauseMs'> }
  readonly ranges: RangeReader
  readonly inTime: InTime
  /** Whether anybody follows. */
  readonly isFollowed: () => boolean
  readonly onChanges: () => void
  /** History was rewritten: nobody's position means anything any more. */
  readonly onStartOver: () => void
  /** Must not throw. */
  readonly onFault: (fault: unknown) => void
}

export type FeedWatch = {
  /** Watches from now on, until nobody follows any more. */
  readonly start: () => void
  readonly recent: RecentChanges
  /** Undefined before the first poll. */
  readonly confirmed: () => Confirmed | undefined
  /** Up to which position there are changes to write; undefined before the first poll. */
  readonly reached: () => number | undefined
}

/** In whose turns it reads. */
const WATCH = 'watch'

/** Reads new changes of the feed for one thread. A fault is reported and tried again, and ends nothing. */
export const makeFeedWatch = (options: WatchOptions): FeedWatch => {
  const { ports, ranges, inTime, isFollowed, onChanges, onStartOver, onFault } = options
  const { feedPollMs: pollMs, feedPauseMs } = ports.timing
  const recent = makeRecentChanges()
  let confirmed: Confirmed | undefined
  let reached: number | undefined
  let isRunning = false

  /** Reads up to a head; false where the epoch has changed under it. */
  const readTo = async ({ epoch, position: to }: FeedHead, position: number): Promise<boolean> => {
    for (let from = position; from < to; ) {
      const read = await inTime(ranges.read({ epoch, from, to }, WATCH))
      if (read === 'epoch_changed' || read.to <= from) return false
      recent.add({ ...read, from, signedAt: ports.monotonic() })
      from = read.to
      reached = from
    }
    return true
  }

  const begin = (now: Confirmed, begun: () => void): void => {
    recent.clear()
    confirmed = now
    reached = now.head.position
    begun()
  }

  const poll = async (): Promise<void> => {
    const now: Confirmed = { askedAt: ports.monotonic(), head: await inTime(ports.feed.head()) }
    const { askedAt, head } = now
    recent.forget(askedAt - 1000 * SIGNATURE_KEPT_SECONDS)
    if (confirmed === undefined || reached === undefined) return begin(now, onChanges)
    const isRewritten = confirmed.head.epoch !== head.epoch || confirmed.head.position > head.position
    if (isRewritten) return begin(now, onStartOver)
    const isNew = reached < head.position
    if (!(await readTo(head, reached))) return
    confirmed = now
    if (isNew) onChanges()
  }

  const watch = async (): Promise<void> => {
    let pauseMs = pollMs
    while (isFollowed()) {
      try {
        await poll()
        pauseMs = pollMs
      } catch (fault) {
        pauseMs = Math.min(2 * pauseMs, feedPauseMs)
        onFault(fault)
      }
      await delay(pauseMs, undefined, { ref: false })
    }
    // What happens until somebody follows again is not known.
    confirmed = undefined
    reached = undefined
    recent.clear()
    isRunning = false
  }

  const start = (): void => {
    if (isRunning) return
    isRunning = true
    void watch()
  }

  return { start, recent, confirmed: () => confirmed, reached: () => reached }
}
