// GET /console/events: the stream by which an open page of the console learns that something changed, and that it is signed out.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { InSession } from '../../operations/authentication/authenticate-session.ts'
import { openStream } from '../oauth/feed/follow.ts'
import { noteWish } from '../wire/arrival.ts'
import type { Wire } from '../wire/wire.ts'
import { makeConsoleStreams } from './console-streams.ts'

type EventsWire = Pick<Wire, 'ports' | 'refuser' | 'inTime' | 'mayStay' | 'reportStreamFault' | 'streams'>

const NO_ROLE = refuse('insufficient_scope', 'The operator of this session has no role: there is nothing to follow.')

/** Streams end as the server closes: they would keep it open. */
export const makeEventsHandler = (
  app: FastifyInstance,
  { ports, refuser, inTime, mayStay, reportStreamFault, streams: bounds }: EventsWire,
  recognize: (request: FastifyRequest) => Promise<OrRefusal<InSession>>,
) => {
  const streams = makeConsoleStreams({ ports, inTime, mayStay, onFault: reportStreamFault, bounds })
  app.addHook('preClose', done => {
    streams.close()
    done()
  })

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const session = await recognize(request)
    if (isRefused(session)) return refuser.refuse(reply, session.refusal)
    const { operator, found, expiresAt } = session
    if (operator.role === null) return refuser.refuse(reply, NO_ROLE.refusal)
    const { raw } = reply
    // Its caller has gone, or was answered that it took too long.
    if (raw.destroyed || reply.sent) return reply
    if (request.method === 'HEAD') {
      openStream(reply)
      raw.end()
      return reply
    }
    const beganAt = ports.monotonic()
    raw.once('close', () => noteWish(request.raw, ports.monotonic() - beganAt))
    const arrival = {
      sessionId: found.session.id,
      expiresAt,
      operator: JSON.stringify([operator.iss, operator.sub]),
      response: raw,
    }
    const entered = streams.open(arrival, () => openStream(reply))
    return isRefused(entered) ? refuser.refuse(reply, entered.refusal) : reply
  }
}
