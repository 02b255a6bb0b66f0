// One deadline for each request, whatever it waits for: when it passes, the answer is 503, and nothing else, ever.
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import { type InTime, makeDeadline } from '../../ports/deadline.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Timing } from '../../ports/timing.ts'
import { waitedMs } from './arrival.ts'

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
