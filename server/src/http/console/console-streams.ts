// The streams of the console, of a thread: one look at the store a second, for all of them, and to each what changed since.
import type { ServerResponse } from 'node:http'
import { CONSOLE_EVENTS, CONSOLE_SUBJECTS, type ConsoleSubject } from '../../../../api/values/console-events.ts'
import type { Milliseconds, MonotonicMilliseconds } from '../../../../api/values/time.ts'
import { isRefused, type OrRefusal } from '../../domain/refusal.ts'
import type { InTime } from '../../ports/deadline.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ConsoleNews } from '../../ports/sessions.ts'
import type { Timing } from '../../ports/timing.ts'
import { type FollowerLimits, type LimitWords, makeFollowerLimit } from '../oauth/feed/follower-limit.ts'

/** Streams of a thread: an open tab that its reader sees is one. */
export const CONSOLE_STREAMS_MAX = 512
/** The most streams of one operator: as many as sessions. */
export const STREAMS_OF_OPERATOR_MAX = 20
/** The streams that are reserved for operators with few, however many others have. */
export const STREAMS_RESERVED = 64
export const STREAMS_FEW_MAX = 2

export const STREAM_LIMITS: FollowerLimits = {
  all: CONSOLE_STREAMS_MAX,
  ofOne: STREAMS_OF_OPERATOR_MAX,
  reserved: STREAMS_RESERVED,
  few: STREAMS_FEW_MAX,
}

const WORDS: LimitWords = {
  full: 'The console has as many streams as this service takes: without one it asks again and again.',
  ofOneFull: 'This operator has as many streams as one may have: close other tabs of the console.',
  closing: 'The service is shutting down: try again.',
  counted: 'console_streams',
}

/** The limits of the streams; smaller in tests. */
export type StreamBounds = { readonly limits?: FollowerLimits }

type StreamTiming = Pick<Timing, 'consolePollMs' | 'consoleSilenceMs' | 'consoleUnreadMs' | 'consoleStreamMs'>

type StreamsOptions = {
  readonly ports: Pick<Ports, 'monotonic' | 'sessions'> & { readonly timing: StreamTiming }
  readonly inTime: InTime
  /** Whether the process has connections to spare. */
  readonly mayStay: (isOneOfFew: boolean) => boolean
  /** Receives each fault. Must not throw. */
  readonly onFault: (fault: unknown) => void
  readonly bounds: StreamBounds
}

export type Arrival = {
  readonly sessionId: string
  /** When the JWT expires by which the operator was authorized. */
  readonly expiresAt: Milliseconds
  /** The operator in whose share the stream counts. */
  readonly operator: string
  readonly response: ServerResponse
}

export type ConsoleStreams = {
  /** Streams to the response, once `begin` has sent its headers; not at all where it is refused. */
  readonly open: (arrival: Arrival, begin: () => void) => OrRefusal<object>
  /** Ends all, and refuses any more. */
  readonly close: () => void
}

type Stream = Pick<Arrival, 'sessionId' | 'expiresAt'> & {
  /** Adds to what the stream has yet to report, and writes it if all before was taken. */
  readonly serve: (changed: readonly ConsoleSubject[], now: MonotonicMilliseconds) => void
  readonly end: (last?: string) => void
}

const eventOf = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

const SIGNED_OUT = eventOf(CONSOLE_EVENTS.signedOut, {})
const STILL_THERE = ': \n\n'

/** It keeps no more than the names of subjects for a page that does not read. */
const makeStream = (
  { sessionId, expiresAt, response }: Arrival,
  begunAt: MonotonicMilliseconds,
  { consoleSilenceMs, consoleUnreadMs, consoleStreamMs }: StreamTiming,
): Stream => {
  const endsAt = begunAt + consoleStreamMs
  const waiting = new Set<ConsoleSubject>()
  let [writtenAt, takenAt] = [begunAt, begunAt]
  // A connection that is reset ends like any other.
  response.on('error', () => undefined)

  const write = (text: string, now: MonotonicMilliseconds): void => {
    response.write(text)
    writtenAt = now
  }

  // A page that sends no more has most likely gone, and only what is written to it shows that.
  const silenceMs = (): number => (response.socket?.readableEnded === true ? 0 : consoleSilenceMs)

  const end = (last?: string): void => {
    if (response.destroyed || response.writableEnded) return
    response.end(last)
  }

  const serve = (changed: readonly ConsoleSubject[], now: MonotonicMilliseconds): void => {
    for (const subject of changed) waiting.add(subject)
    if (response.destroyed || response.writableEnded) return
    if (response.writableLength > 0) {
      if (now - takenAt >= consoleUnreadMs) response.destroy()
      return
    }
    takenAt = now
    if (now >= endsAt) return end()
    if (waiting.size > 0) {
      write(eventOf(CONSOLE_EVENTS.changed, [...waiting]), now)
      waiting.clear()
    } else if (now - writtenAt >= silenceMs()) write(STILL_THERE, now)
  }

  return { sessionId, expiresAt, serve, end }
}

/** What changed since the look before; of the first look nothing. */
const makeComparison = () => {
  let before: ConsoleNews['versions'] | undefined
  return {
    changedSince: (versions: ConsoleNews['versions']): readonly ConsoleSubject[] => {
      const last = before
      before = versions
      return last === undefined ? [] : CONSOLE_SUBJECTS.filter(subject => last[subject] !== versions[subject])
    },
    forget: (): void => {
      before = undefined
    },
  }
}

/** Ends the stream of a session that has ended, or whose JWT was renewed or has expired: its successor has the role judged anew. */
const endUnauthorized = (stream: Stream, { sessions, now }: ConsoleNews): void => {
  const expiresAt = sessions.get(stream.sessionId)
  if (expiresAt === undefined) stream.end(SIGNED_OUT)
  else if (expiresAt !== stream.expiresAt || now >= expiresAt) stream.end()
}

/** Looks at the store while there are streams, and never twice at a time. */
const makeLooking = ({ ports, inTime, onFault }: StreamsOptions, streams: ReadonlySet<Stream>) => {
  const comparison = makeComparison()
  let isLooking = false

  const look = async (): Promise<void> => {
    const asked = [...streams]
    const ids = new Set(asked.map(({ sessionId }) => sessionId))
    const news = await inTime(ports.sessions.readNews([...ids]))
    for (const stream of asked) endUnauthorized(stream, news)
    const changed = comparison.changedSince(news.versions)
    const now = ports.monotonic()
    for (const stream of streams) stream.serve(changed, now)
  }

  return {
    forget: comparison.forget,
    start: (): void => {
      // A stream ends in time also while the store does not answer.
      if (isLooking) return
      isLooking = true
      void look()
        .catch((fault: unknown) => {
          onFault(fault)
          const now = ports.monotonic()
          for (const stream of streams) stream.serve([], now)
        })
        .finally(() => {
          isLooking = false
        })
    },
  }
}

const LET_IN = {}

/** Makes the console streams of one thread. */
export const makeConsoleStreams = (options: StreamsOptions): ConsoleStreams => {
  const { ports, mayStay, bounds } = options
  const { timing } = ports
  const limit = makeFollowerLimit(bounds.limits ?? STREAM_LIMITS, mayStay, WORDS)
  const streams = new Set<Stream>()
  const looking = makeLooking(options, streams)
  let timer: NodeJS.Timeout | undefined

  const remove = (stream: Stream): void => {
    if (!streams.delete(stream) || streams.size > 0) return
    clearInterval(timer)
    timer = undefined
    // What happens until somebody looks again is not known: a page reads anew as its stream opens.
    looking.forget()
  }

  return {
    open: (arrival, begin) => {
      const permit = limit.enter(arrival.operator)
      if (isRefused(permit)) return permit
      begin()
      const stream = makeStream(arrival, ports.monotonic(), timing)
      streams.add(stream)
      arrival.response.once('close', () => {
        remove(stream)
        permit.release()
      })
      if (timer === undefined) {
        timer = setInterval(looking.start, timing.consolePollMs).unref()
        looking.start()
      }
      return LET_IN
    },
    close: () => {
      limit.close()
      for (const stream of streams) stream.end()
    },
  }
}
