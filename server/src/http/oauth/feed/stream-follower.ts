// A stream of server-sent events: changes as they come, and heartbeats.
import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { RangeReader } from '../../../operations/feed/read-range.ts'
import type { InTime } from '../../../ports/deadline.ts'
import { type Metrics, NO_METRICS } from '../../../ports/metrics.ts'
import type { FeedHead } from '../../../ports/revocation-feed.ts'
import type { Timing } from '../../../ports/timing.ts'
import type { Beat, Entry, Follower, News } from './follower.ts'
import { changesEvent } from './recent-changes.ts'

/** What may wait for a follower to read it; nothing more is written to one for whom more waits. */
const WAITING_BYTES_MAX = 1_048_576

export const heartbeatEvent = ({ epoch, position, now }: FeedHead): Buffer =>
  Buffer.from(`event: heartbeat\ndata: ${JSON.stringify({ epoch, position, now })}\n\n`)

const START_OVER = Buffer.from('event: epoch_changed\ndata: {}\n\n')

type Streaming = {
  readonly entry: Entry
  /** Its headers are sent. */
  readonly response: ServerResponse
  /** When its own look at the store had ended, whose heartbeat it has. */
  readonly beganAt: MonotonicMilliseconds
  readonly endsAt: MonotonicMilliseconds
  readonly timing: Pick<Timing, 'followerUnreadMs'>
  readonly ranges: RangeReader
  readonly inTime: InTime
  readonly metrics?: Metrics
  /** Receives a fault under which the follower stays behind for a while. Must not throw. */
  readonly onFault: (fault: unknown) => void
}

/**
 * All that is written meanwhile goes to the system in one call before it returns: Node would do so later in the turn, where
 * nobody measures it.
 */
const writeNow = <Result>({ socket }: ServerResponse, write: () => Result): Result => {
  socket?.cork()
  try {
    return write()
  } finally {
    socket?.uncork()
  }
}

const isOver = (response: ServerResponse): boolean => response.destroyed || response.writableEnded

/** Resolves once what was written is on its way, or the connection is no more. */
const drained = async (response: ServerResponse): Promise<void> => {
  const closed = new AbortController()
  const { signal } = closed
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })])
  } finally {
    closed.abort()
  }
}

/** Returns whether nothing may be written now, for what was written waits to be read; it cuts off who reads too slowly. */
const makeSlowness = ({ response, timing, metrics = NO_METRICS }: Streaming): (() => boolean) => {
  let since: number | undefined
  return () => {
    if (response.writableLength <= WAITING_BYTES_MAX) {
      since = undefined
      return false
    }
    since ??= performance.now()
    if (performance.now() - since < timing.followerUnreadMs) return true
    metrics.add('mintmark_feed_slow_followers_total', {})
    response.destroy()
    return true
  }
}

/** What was written, and from where on changes are missing. */
const makeWriting = ({ entry, response, metrics = NO_METRICS }: Streaming) => {
  let { position } = entry
  return {
    position: () => position,
    changes: (event: Buffer, to: number): boolean => {
      metrics.add('mintmark_feed_documents_total', { kind: 'stream' })
      position = to
      return writeNow(response, () => response.write(event))
    },
    startOver: (): void => {
      if (!isOver(response)) response.end(START_OVER)
    },
  }
}

/**
 * Returns a function that reads for this follower alone what is no longer at hand, no faster than it takes it, and one that
 * says whether it does so now.
 */
const makeCatchingUp = (
  { entry, response, ranges, inTime, onFault }: Streaming,
  writing: ReturnType<typeof makeWriting>,
) => {
  let isCatchingUp = false

  const catchUp = async ({ reached }: News): Promise<void> => {
    for (let to = reached() ?? 0; writing.position() < to && !isOver(response); to = reached() ?? 0) {
      const read = await inTime(ranges.read({ epoch: entry.epoch, from: writing.position(), to }, entry.keyHash))
      if (isOver(response)) return
      if (read === 'epoch_changed' || read.to <= writing.position()) return writing.startOver()
      if (!writing.changes(changesEvent(read.text), read.to)) await drained(response)
    }
  }

  const run = async (news: News): Promise<void> => {
    isCatchingUp = true
    try {
      await catchUp(news)
    } catch (fault) {
      onFault(fault)
    }
    isCatchingUp = false
  }

  return { start: (news: News): void => void run(news), isUnderWay: () => isCatchingUp }
}

export const makeStreamFollower = (streaming: Streaming): Follower => {
  const { entry, response, beganAt, endsAt } = streaming
  const writing = makeWriting(streaming)
  const isSlow = makeSlowness(streaming)
  const catchingUp = makeCatchingUp(streaming, writing)
  let seen: Beat | undefined
  // A connection that is reset ends like any other.
  response.on('error', () => undefined)

  const beat = (latest: Beat | undefined): void => {
    // The time of heartbeats never falls: one of an earlier look than its own is not for this follower.
    if (latest === undefined || latest === seen || latest.askedAt < beganAt) return
    seen = latest
    response.write(latest.event)
  }

  const write = (news: News): void => {
    // A heartbeat behind what was not taken yet would show nothing.
    const isTaken = response.writableLength === 0
    const reached = news.reached() ?? 0
    if (writing.position() < reached) {
      const events = news.recent.eventsAfter(writing.position())
      if (events === undefined) return catchingUp.start(news)
      writing.changes(events, reached)
    }
    if (isTaken) beat(news.beat())
  }

  const serve = (news: News): void => {
    const confirmed = news.confirmed()
    if (isOver(response) || confirmed === undefined || isSlow()) return
    if (confirmed.head.epoch !== entry.epoch) return writing.startOver()
    if (!catchingUp.isUnderWay()) writeNow(response, () => write(news))
  }

  return {
    kind: 'stream',
    keyHash: entry.keyHash,
    endsAt,
    serve,
    end: reason => {
      if (reason === 'epoch_changed') writing.startOver()
      else if (!isOver(response)) response.end()
    },
  }
}
