// One deadline for each request, whatever it waits for: by then it is answered 503, and nothing else, ever.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import { type InTime, makeDeadline } from '../../ports/deadline.ts'
import type { Ports } from '../../ports/ports.ts'

/**
 * From the start of the handler, when the request has arrived whole. A little longer than the store's own deadlines: where
 * one step took all of the time, the store's reason is the one to log.
 */
const ANSWER_MS_MAX = 4_600

const LATE = 'The request took too long. Whether a change was made is unknown.'

type Clock = Pick<Ports, 'monotonic'>

/** The deadline of a request that begins now: nothing is begun for a caller after its answer. */
export const answerBy = ({ monotonic }: Clock): MonotonicMilliseconds => monotonic() + ANSWER_MS_MAX

export const makeAnswerDeadline = (clock: Clock): InTime => makeDeadline(clock, ANSWER_MS_MAX, LATE)

type Handler<Request> = (request: Request, reply: FastifyReply) => Promise<FastifyReply>

/** The handler, answered by the deadline. Fastify ignores what it sends after its answer. */
export const answerInTime =
  <Request>(inTime: InTime, handler: Handler<Request>): Handler<Request> =>
  (request, reply) =>
    inTime(handler(request, reply))

/** Puts the deadline in front of every route that the scope registers from here on. */
export const answerEachInTime = (scope: FastifyInstance, inTime: InTime): void => {
  scope.addHook('onRoute', route => {
    const { handler } = route
    route.handler = (request: FastifyRequest, reply: FastifyReply) =>
      inTime(Promise.resolve(handler.call(scope, request, reply)))
  })
}
