// GET /console/events: the streams by which open pages of the console learn that something changed, and that they are signed out.
// One look at the store a second serves all of a thread.
import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CONSOLE_EVENTS, CONSOLE_SUBJECTS, type ConsoleSubject } from '../../../../api/values/console-events.ts'
import type { Milliseconds, MonotonicMilliseconds } from '../../../../api/values/time.ts'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { InSession } from '../../operations/authentication/authenticate-session.ts'
import type { InTime } from '../../ports/deadline.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ConsoleNews } from '../../ports/sessions.ts'
import type { Timing } from '../../ports/timing.ts'
import { answerByStream, eventOf, isOver } from '../wire/streams/event-stream.ts'
import { makeStayLimit, type StayLimits, type StayWords } from '../wire/streams/stay-limit.ts'
import type { Wire } from '../wire/wire.ts'

/** The streams of a thread, and of one operator: as many as sessions. An open tab that its reader sees is one. */
export const CONSOLE_STREAMS_MAX: StayLimits = { all: 512, ofOne: 20, reserved: 64, few: 2 }

const WORDS: StayWords = {
  full: 'The console has as many streams as this service takes: without one it asks again and again.',
  ofOneFull: 'This operator has as many streams as one may have: close other tabs of the console.',
  closing: 'The service is shutting down: try again.',
  counted: 'console_streams',
}

type StreamTiming = Pick<Timing, 'consolePollMs' | 'consoleSilenceMs' | 'consoleUnreadMs' | 'consoleStreamMs'>

type StreamsOptions = {
  readonly ports: Pick<Ports, 'monotonic' | 'sessions'> & { readonly timing: StreamTiming }
  readonly inTime: InTime
  /** Whether the process has connections to spare. */
  readonly mayStay: (isOneOfFew: boolean) => boolean
  /** Receives each fault. Must not throw. */
  readonly onFault: (fault: unknown) => void
  /** Smaller in tests. */
  readonly limits?: StayLimits
}

type Arrival = {
  readonly sessionId: string
  /** When the JWT expires by which the operator was authorized. */
  readonly expiresAt: Milliseconds
  /** The operator in whose share the stream counts. */
  readonly operator: string
  readonly response: ServerResponse
}

const SIGNED_OUT = eventOf(CONSOLE_EVENTS.signedOut, '{}')
const STILL_THERE = ': \n\n'

/** It keeps no more than the names of subjects for a page that does not read. */
const makeStream = (
  { sessionId, expiresAt, response }: Arrival,
  begunAt: MonotonicMilliseconds,
  { consoleSilenceMs, consoleUnreadMs, consoleStreamMs }: StreamTiming,
) => {
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
    if (!isOver(response)) response.end(last)
  }

  /** Adds to what the stream has yet to report, and writes it if all before was taken. */
  const serve = (changed: readonly ConsoleSubject[], now: MonotonicMilliseconds): void => {
    for (const subject of changed) waiting.add(subject)
    if (isOver(response)) return
    if (response.writableLength > 0) {
      if (now - takenAt >= consoleUnreadMs) response.destroy()
      return
    }
    takenAt = now
    if (now >= endsAt) return end()
    if (waiting.size > 0) {
      write(eventOf(CONSOLE_EVENTS.changed, JSON.stringify([...waiting])), now)
      waiting.clear()
    } else if (now - writtenAt >= silenceMs()) write(STILL_THERE, now)
  }

  return { sessionId, expiresAt, serve, end }
}

type Stream = ReturnType<typeof makeStream>

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

/** Makes the console streams of one thread. */
export const makeConsoleStreams = (options: StreamsOptions) => {
  const { ports, mayStay, limits = CONSOLE_STREAMS_MAX } = options
  const { timing } = ports
  const limit = makeStayLimit({ limits, words: WORDS, mayStay })
  const streams = new Set<Stream>()
  const looking = makeLooking(options, streams)
  let timer: NodeJS.Timeout | undefined

  const remove = (stream: Stream): void => {
    if (!streams.delete(stream) || streams.size > 0) return
    clearInterval(timer)
    timer = undefined
    // Nothing is read until the next stream opens: what is kept would miss changes. A page reads anew as its stream opens.
    looking.forget()
  }

  return {
    /** Streams to the response, once `begin` has sent its headers; not at all where it is refused. */
    open: (arrival: Arrival, begin: () => void): OrRefusal<Arrival> => {
      const permit = limit.enter(arrival.operator)
      if (isRefused(permit)) return permit
      arrival.response.once('close', permit.release)
      begin()
      const stream = makeStream(arrival, ports.monotonic(), timing)
      streams.add(stream)
      arrival.response.once('close', () => remove(stream))
      if (timer === undefined) {
        timer = setInterval(looking.start, timing.consolePollMs).unref()
        looking.start()
      }
      return arrival
    },
    /** Ends all, and refuses any more. */
    close: (): void => {
      limit.close()
      for (const stream of streams) stream.end()
    },
  }
}

const NO_ROLE = refuse('insufficient_scope', 'The operator of this session has no role: there is nothing to follow.')

/** Streams end as the server closes: they would keep it open. */
export const makeEventsHandler = (
  app: FastifyInstance,
  wire: Pick<Wire, 'ports' | 'refuser' | 'inTime' | 'mayStay' | 'reportStreamFault'>,
  recognize: (request: FastifyRequest) => Promise<OrRefusal<InSession>>,
) => {
  const { ports, refuser, inTime, mayStay, reportStreamFault: onFault } = wire
  const streams = makeConsoleStreams({ ports, inTime, mayStay, onFault })
  app.addHook('preClose', done => {
    streams.close()
    done()
  })

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const session = await recognize(request)
    if (isRefused(session)) return refuser.refuse(reply, session.refusal)
    const { operator, found, expiresAt } = session
    if (operator.role === null) return refuser.refuse(reply, NO_ROLE.refusal)
    const owner = { sessionId: found.session.id, expiresAt, operator: JSON.stringify([operator.iss, operator.sub]) }
    return answerByStream(wire, request, reply, begin => streams.open({ ...owner, response: reply.raw }, begin))
  }
}
