// One deadline for each request, whatever it waits for: when it passes, the answer is 503, and nothing else, ever.
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import { type InTime, makeDeadline } from '../../ports/deadline.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Timing } from '../../ports/timing.ts'

// When requests arrived that could not be read or begun at once: their deadlines count from then.

/** `receivedAt`: its first byte was read. `turnAt`: the responses before it on its connection are out; the same where none are. */
export type Arrival = {
  readonly receivedAt: MonotonicMilliseconds
  readonly turnAt: MonotonicMilliseconds
  readonly begunAt: MonotonicMilliseconds
}

const arrivals = new WeakMap<IncomingMessage, Arrival>()

/** Notes a request that begins now and has waited. */
export const noteArrival = (request: IncomingMessage, arrival: Arrival): void => void arrivals.set(request, arrival)

/** How long the request waited for its start, in ms, without the wait for responses before its own; 0 where that was negligible. */
export const queuedMs = (request: IncomingMessage): number => {
  const arrival = arrivals.get(request)
  return arrival === undefined ? 0 : arrival.begunAt - arrival.turnAt
}

/**
 * How long the request had waited for the service when its body was complete, which is now; 0 where that was negligible.
 * Of the time that the body took at most `bodyMs` counts: the rest is up to its sender, and `requestMs` bounds it.
 */
const waitedMs = (request: IncomingMessage, now: MonotonicMilliseconds, { bodyMs }: Pick<Timing, 'bodyMs'>): number => {
  const arrival = arrivals.get(request)
  if (arrival === undefined) return 0
  return arrival.begunAt - arrival.receivedAt + Math.min(now - arrival.begunAt, bodyMs)
}

const wishes = new WeakMap<IncomingMessage, number>()

/** Notes for how long the answer was held back because its caller wished so, in ms. */
export const noteWish = (request: IncomingMessage, ms: number): void => void wishes.set(request, ms)

/** The wait that {@link noteWish} recorded; 0 where it recorded none. */
export const wishedMs = (request: IncomingMessage): number => wishes.get(request) ?? 0

const LATE = 'The request took too long. Whether a change was made is unknown.'

type Timed<Member extends keyof Timing> = Pick<Ports, 'monotonic'> & { readonly timing: Pick<Timing, Member> }

/** The deadline of a request: nothing is begun for a caller after its answer. */
export const answerBy = (
  { monotonic, timing }: Timed<'answerMs' | 'bodyMs'>,
  request: IncomingMessage,
): MonotonicMilliseconds => {
  const now = monotonic()
  return now - waitedMs(request, now, timing) + timing.answerMs
}

export const makeAnswerDeadline = (ports: Timed<'answerMs' | 'deadlineSweepMs'>): InTime =>
  makeDeadline(ports, ports.timing.answerMs, LATE)

type Answering = { readonly ports: Timed<'answerMs' | 'bodyMs' | 'groupedMs'>; readonly inTime: InTime }

/**
 * The outcome of a request in a group. The group has the time of its last member, so that nobody shortens the time of others
 * by a request that has waited; such a request has its own deadline besides.
 */
export const answerInGroup = <Outcome>(
  { ports, inTime }: Answering,
  request: IncomingMessage,
  work: Promise<Outcome>,
): Promise<Outcome> =>
  waitedMs(request, ports.monotonic(), ports.timing) > ports.timing.groupedMs
    ? inTime(work, answerBy(ports, request))
    : work

type Handler<Request, Answer> = (request: Request, reply: FastifyReply) => Promise<Answer>

/** The handler, answered by the deadline. Fastify ignores what it sends after its answer. */
export const answerInTime =
  <Request extends FastifyRequest, Answer>(
    { ports, inTime }: Answering,
    handler: Handler<Request, Answer>,
  ): Handler<Request, Answer> =>
  (request, reply) =>
    inTime(handler(request, reply), answerBy(ports, request.raw))

/** Puts the deadline in front of every route that the scope registers from here on. */
export const answerEachInTime = (scope: FastifyInstance, answering: Answering): void => {
  scope.addHook('onRoute', route => {
    const { handler } = route
    route.handler = answerInTime(answering, (request: FastifyRequest, reply: FastifyReply) =>
      Promise.resolve(handler.call(scope, request, reply)),
    )
  })
}
