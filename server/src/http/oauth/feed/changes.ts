// In this folder: the revocation feed over HTTP, for many followers at once. operations/feed/ reads and signs the documents.
// What is new in the revocation feed, for all who follow it on a thread: each change is read and signed once, while anybody follows.
import { Buffer } from 'node:buffer'
import { setTimeout as delay } from 'node:timers/promises'
import type { FeedHead, FeedPosition } from '../../../../../api/values/feed.ts'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { RangeDocument, RangeReader } from '../../../operations/feed/read-range.ts'
import { SIGNATURE_KEPT_SECONDS } from '../../../operations/feed/sign-documents.ts'
import type { InTime } from '../../../ports/deadline.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Timing } from '../../../ports/timing.ts'
import { eventOf } from '../../wire/streams/event-stream.ts'

/** Changes in memory; a follower that is further behind reads the rest by itself. */
const CHANGES_MAX = 1024
/** The size of their documents; their events may take as much again. */
const CACHED_BYTES_MAX = 4_194_304

export type Change = Omit<RangeDocument, 'epoch'> & { readonly signedAt: MonotonicMilliseconds }

type RecentChanges = {
  /**
   * Adds a change that begins where the last one ended. Drops changes that another key signed: that key may be revoked, and a
   * follower that is behind reads its documents signed anew.
   */
  readonly add: (change: Change) => void
  /** Forgets what was signed before this time. */
  readonly forget: (before: MonotonicMilliseconds) => void
  readonly clear: () => void
  /** A change that a follower at the position can apply, if it is kept. */
  readonly after: (position: number) => Change | undefined
  /** All changes after a position as events of a stream; undefined where not all of them are kept. */
  readonly eventsAfter: (position: number) => Buffer | undefined
}

export const changesEvent = (text: string): Buffer => Buffer.from(eventOf('changes', text))

/** Joined events by the position that they follow. */
const makeEvents = () => {
  const events = new Map<number, Buffer>()
  let bytes = 0
  const clear = (): void => {
    events.clear()
    bytes = 0
  }
  return {
    get: (position: number): Buffer | undefined => events.get(position),
    clear,
    // Nearly all followers are at one of the last few positions: where others do too, they are joined anew.
    keep: (position: number, joined: Buffer): Buffer => {
      if (bytes + joined.length > CACHED_BYTES_MAX) clear()
      events.set(position, joined)
      bytes += joined.length
      return joined
    },
  }
}

/** The newest changes, which are written to all; of one epoch. */
export const makeRecentChanges = (): RecentChanges => {
  let changes: Change[] = []
  let bytes = 0
  const events = makeEvents()

  const indexAfter = (position: number): number => {
    let index = changes.length
    while (index > 0 && (changes[index - 1]?.to ?? 0) > position) index -= 1
    return (changes[index]?.from ?? Number.POSITIVE_INFINITY) <= position ? index : -1
  }

  const dropOldest = (): void => {
    bytes -= changes.shift()?.text.length ?? 0
    events.clear()
  }

  const isFull = (): boolean => changes.length > CHANGES_MAX || (bytes > CACHED_BYTES_MAX && changes.length > 1)
  const isBefore = (time: MonotonicMilliseconds): boolean => (changes[0]?.signedAt ?? time) < time

  const clear = (): void => {
    changes = []
    bytes = 0
    events.clear()
  }

  return {
    add: change => {
      if (changes.at(-1)?.kid !== change.kid) clear()
      changes.push(change)
      bytes += change.text.length
      events.clear()
      while (isFull()) dropOldest()
    },
    forget: before => {
      while (isBefore(before)) dropOldest()
    },
    clear,
    after: position => {
      const index = indexAfter(position)
      return index === -1 ? undefined : changes[index]
    },
    eventsAfter: position => {
      const known = events.get(position)
      if (known !== undefined) return known
      const index = indexAfter(position)
      if (index === -1) return undefined
      return events.keep(position, Buffer.concat(changes.slice(index).map(({ text }) => changesEvent(text))))
    },
  }
}

/** What the store confirmed last: `askedAt` is when its head was asked for, and all changes up to it are in `recent`. */
type Confirmed = { readonly head: FeedHead; readonly askedAt: MonotonicMilliseconds }

type WatchOptions = {
  readonly ports: Pick<Ports, 'feed' | 'monotonic'> & { readonly timing: Pick<Timing, 'feedPollMs' | 'feedPauseMs'> }
  readonly ranges: RangeReader
  readonly inTime: InTime
  /** Whether anybody follows. */
  readonly isFollowed: () => boolean
  readonly onChanges: () => void
  /** History was rewritten: no position of a follower means anything any more. */
  readonly onStartOver: () => void
  /** Must not throw. */
  readonly onFault: (fault: unknown) => void
}

/** What there is to write. */
export type News = {
  readonly recent: RecentChanges
  /** Up to where there are changes to write; undefined before the first poll. */
  readonly reached: () => FeedPosition | undefined
}

type FeedWatch = {
  /** Watches from now on, until nobody follows any more. */
  readonly start: () => void
  readonly news: News
  /** Undefined before the first poll. */
  readonly confirmed: () => Confirmed | undefined
}

/** In whose turns it reads. */
const WATCH = 'watch'

/** Reads new changes of the feed for one thread. A fault is reported and tried again, and ends nothing. */
export const makeFeedWatch = (options: WatchOptions): FeedWatch => {
  const { ports, ranges, inTime, isFollowed, onChanges, onStartOver, onFault } = options
  const { feedPollMs: pollMs, feedPauseMs } = ports.timing
  const recent = makeRecentChanges()
  let confirmed: Confirmed | undefined
  let reached: FeedPosition | undefined
  let isRunning = false

  /** Reads up to a head; false where the epoch has changed under it. */
  const readTo = async ({ epoch, position: to }: FeedHead, { position }: FeedPosition): Promise<boolean> => {
    for (let from = position; from < to; ) {
      const read = await inTime(ranges.read({ epoch, from, to }, WATCH))
      if (read === 'epoch_changed' || read.to <= from) return false
      recent.add({ ...read, signedAt: ports.monotonic() })
      from = read.to
      reached = { epoch, position: from }
    }
    return true
  }

  const begin = (now: Confirmed, begun: () => void): void => {
    recent.clear()
    confirmed = now
    reached = now.head
    begun()
  }

  const poll = async (): Promise<void> => {
    const now: Confirmed = { askedAt: ports.monotonic(), head: await inTime(ports.feed.head()) }
    const { askedAt, head } = now
    recent.forget(askedAt - 1000 * SIGNATURE_KEPT_SECONDS)
    if (confirmed === undefined || reached === undefined) return begin(now, onChanges)
    const isRewritten = confirmed.head.epoch !== head.epoch || confirmed.head.position > head.position
    if (isRewritten) return begin(now, onStartOver)
    const isNew = reached.position < head.position
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
    // Nothing is read until the next follower comes: what is kept would miss the changes in between.
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

  return { start, news: { recent, reached: () => reached }, confirmed: () => confirmed }
}

export const heartbeatEvent = ({ epoch, position, now }: FeedHead): Buffer =>
  Buffer.from(eventOf('heartbeat', JSON.stringify({ epoch, position, now })))

/** The newest heartbeat as an event. `askedAt`: when its head was asked for. */
export type Beat = { readonly askedAt: MonotonicMilliseconds; readonly event: Buffer }

/** While the store does not answer there is no new heartbeat: it never repeats as new what was known before. */
export const makeHeartbeat = (confirmed: FeedWatch['confirmed'], metrics: Metrics) => {
  let beat: Beat | undefined
  let lastAt = 0
  return {
    /** Makes the next one, at this time. */
    tick: (now: MonotonicMilliseconds): void => {
      const known = confirmed()
      const before = lastAt
      lastAt = now
      if (known === undefined) return
      metrics.observe('mintmark_feed_head_age_seconds', {}, (now - known.askedAt) / 1000)
      if (known.askedAt < before) return
      beat = { askedAt: known.askedAt, event: heartbeatEvent(known.head) }
    },
    latest: (): Beat | undefined => beat,
  }
}
