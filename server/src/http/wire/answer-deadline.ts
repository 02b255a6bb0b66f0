// One deadline for each request, whatever it waits for: by then it is answered 503, and nothing else, ever.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Unavailable } from '../../domain/refusal.ts'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import type { Ports } from '../../ports/ports.ts'

/**
 * From the start of the handler, the request having arrived whole. A little more than the store's own patience: where
 * one step took it all, the store's reason is the one to log.
 */
const ANSWER_MS_MAX = 4_600
/** One timer looks after all that waits: a timer for each would cost more than the look-up of a token. */
const SWEEP_MS = 100

const LATE = 'The request took too long. Whether a change was made is unknown.'

type Clock = Pick<Ports, 'monotonic'>

/** The deadline of what begins now: nothing is begun for a caller who has had his answer. */
export const answerBy = ({ monotonic }: Clock): MonotonicMilliseconds => monotonic() + ANSWER_MS_MAX

type Waiting = { readonly until: MonotonicMilliseconds; readonly refuse: (fault: Unavailable) => void }

/** Passes on what `work` comes to, or is Unavailable by the deadline. `work` goes on, and nobody hears how it ends. */
export type InTime = <Outcome>(work: Promise<Outcome>) => Promise<Outcome>

/** A deadline of `msMax` for whatever it is asked about; `late` is for the log. */
export const makeDeadline = (clock: Clock, msMax: number, late: string): InTime => {
  // In the order of their deadlines, since all have the same time.
  const waiting = new Set<Waiting>()
  let timer: NodeJS.Timeout | undefined

  const sweep = (): void => {
    const now = clock.monotonic()
    for (const one of waiting) {
      if (one.until > now) return
      waiting.delete(one)
      one.refuse(new Unavailable(late))
    }
    clearInterval(timer)
    timer = undefined
  }

  return work =>
    new Promise((resolve, reject) => {
      const one: Waiting = { until: clock.monotonic() + msMax, refuse: reject }
      waiting.add(one)
      timer ??= setInterval(sweep, SWEEP_MS).unref()
      work.then(resolve, reject).finally(() => waiting.delete(one))
    })
}

export const makeAnswerDeadline = (clock: Clock): InTime => makeDeadline(clock, ANSWER_MS_MAX, LATE)

/** The same for the few whose time began before: each by a timer of its own. */
export const answerUntil = async <Outcome>(
  clock: Clock,
  until: MonotonicMilliseconds,
  work: Promise<Outcome>,
): Promise<Outcome> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Unavailable(LATE)), Math.max(0, until - clock.monotonic()))
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

type Handler<Request> = (request: Request, reply: FastifyReply) => Promise<FastifyReply>

/** The handler with the deadline in front. What it sends after its answer Fastify passes over. */
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
