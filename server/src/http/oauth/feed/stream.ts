// GET /oauth/revocation-feed/stream: server-sent events to one follower, changes as they come, and heartbeats.
import type { Buffer } from 'node:buffer'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { followFeed } from '../../../../../api/revocation-feed.ts'
import type { FeedPosition } from '../../../../../api/values/feed.ts'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { Sha256 } from '../../../domain/text/text.ts'
import { judgePosition } from '../../../operations/feed/answer-changes.ts'
import type { RangeReader } from '../../../operations/feed/read-range.ts'
import type { InTime } from '../../../ports/deadline.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { Timing } from '../../../ports/timing.ts'
import type { RequestOf } from '../../wire/describe.ts'
import { answerByStream, eventOf, isOver } from '../../wire/streams/event-stream.ts'
import type { Wire } from '../../wire/wire.ts'
import { type Beat, changesEvent, heartbeatEvent, type News } from './changes.ts'
import type { Follower, Followers, Recognized } from './followers.ts'

/** What may wait for a follower to read it; nothing more is written to one for whom more waits. */
const WAITING_BYTES_MAX = 1_048_576

/** A stream lasts up to a fifth longer than `feedStreamMs`. */
const SPREAD_PART = 5
const GREATEST_BYTE = 255

const START_OVER = eventOf('epoch_changed', '{}')

type Streaming = {
  readonly from: FeedPosition
  readonly keyHash: Sha256
  /** Its headers are sent. */
  readonly response: ServerResponse
  /** When its own look at the store had ended, whose heartbeat it has. */
  readonly beganAt: MonotonicMilliseconds
  readonly endsAt: MonotonicMilliseconds
  readonly timing: Pick<Timing, 'followerUnreadMs'>
  readonly ranges: RangeReader
  readonly inTime: InTime
  readonly metrics: Metrics
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

/** Returns whether to write nothing now, because too much waits to be read. Cuts off a follower that reads too slowly. */
const makeSlowness = ({ response, timing, metrics }: Streaming): (() => boolean) => {
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
const makeWriting = ({ from, response, metrics }: Streaming) => {
  let { position } = from
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
  { from, keyHash, response, ranges, inTime, onFault }: Streaming,
  writing: ReturnType<typeof makeWriting>,
) => {
  let isCatchingUp = false

  const catchUp = async ({ reached }: News): Promise<void> => {
    const end = (): number => reached()?.position ?? 0
    for (let to = end(); writing.position() < to && !isOver(response); to = end()) {
      const read = await inTime(ranges.read({ epoch: from.epoch, from: writing.position(), to }, keyHash))
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

const makeStreamFollower = (streaming: Streaming): Follower => {
  const { from, keyHash, response, beganAt, endsAt } = streaming
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

  const write = (news: News, reached: number, latest: Beat | undefined): void => {
    // A heartbeat behind what was not taken yet would show nothing.
    const isTaken = response.writableLength === 0
    if (writing.position() < reached) {
      const events = news.recent.eventsAfter(writing.position())
      if (events === undefined) return catchingUp.start(news)
      writing.changes(events, reached)
    }
    if (isTaken) beat(latest)
  }

  const serve = (news: News, latest: Beat | undefined): void => {
    const reached = news.reached()
    if (isOver(response) || reached === undefined || isSlow()) return
    if (reached.epoch !== from.epoch) return writing.startOver()
    if (!catchingUp.isUnderWay()) writeNow(response, () => write(news, reached.position, latest))
  }

  return {
    kind: 'stream',
    keyHash,
    endsAt,
    serve,
    end: reason => {
      if (reason === 'epoch_changed') writing.startOver()
      else if (!isOver(response)) response.end()
    },
  }
}

type Parts = {
  readonly followers: Followers
  readonly ranges: RangeReader
  readonly onFault: (fault: unknown) => void
}

export const makeStreamHandler = (wire: Wire, { followers, ranges, onFault }: Parts) => {
  const { ports, inTime, refuser, metrics } = wire
  const { timing } = ports

  const endOf = (beganAt: MonotonicMilliseconds): MonotonicMilliseconds => {
    const [spread = 0] = ports.randomness.bytes(1)
    return beganAt + timing.feedStreamMs * (1 + spread / GREATEST_BYTE / SPREAD_PART)
  }

  return async (request: RequestOf<typeof followFeed>, reply: FastifyReply, caller: Recognized): Promise<void> => {
    const { query: from } = request
    const { keyHash, until } = caller
    const head = await inTime(ports.feed.head(), until)
    const refused = judgePosition(from, head)
    if (refused !== undefined) return void refuser.refuse(reply, refused.refusal)
    const { raw: response } = reply
    answerByStream(wire, request, reply, begin =>
      followers.enter(caller, response, () => {
        begin()
        response.write(heartbeatEvent(head))
        const beganAt = ports.monotonic()
        const own = { from, keyHash, response, beganAt, endsAt: endOf(beganAt) }
        return makeStreamFollower({ ...own, timing, ranges, inTime, metrics, onFault })
      }),
    )
  }
}
