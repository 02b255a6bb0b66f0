// A response of server-sent events: how it begins, how an event is written, and whether anybody reads it.
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { STREAM_TYPE } from '../../../../../api/revocation-feed.ts'
import { isRefused, type OrRefusal } from '../../../domain/refusal.ts'
import { noteWish } from '../answer-deadline.ts'
import type { Wire } from '../wire.ts'

/** `data` has no line breaks. */
export const eventOf = (name: string, data: string): string => `event: ${name}\ndata: ${data}\n\n`

export const isOver = (response: ServerResponse): boolean => response.destroyed || response.writableEnded

/** Takes the answer out of Fastify's hands, and sends its headers. */
const sendHeaders = (reply: FastifyReply): void => {
  void reply.header('content-type', STREAM_TYPE).header('x-accel-buffering', 'no').hijack()
  for (const [header, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(header, value)
  }
  reply.raw.flushHeaders()
}

/** Answers by a stream: where it may stay, `enter` calls `begin`, which sends the headers. HEAD gets the headers alone. */
export const answerByStream = (
  { ports, refuser }: Pick<Wire, 'ports' | 'refuser'>,
  request: FastifyRequest,
  reply: FastifyReply,
  enter: (begin: () => void) => OrRefusal<object>,
): FastifyReply => {
  const { raw } = reply
  // Its caller has gone, or was answered that it took too long.
  if (raw.destroyed || reply.sent) return reply.hijack()
  if (request.method === 'HEAD') {
    sendHeaders(reply)
    raw.end()
    return reply
  }
  const beganAt = ports.monotonic()
  raw.once('close', () => noteWish(request.raw, ports.monotonic() - beganAt))
  const entered = enter(() => sendHeaders(reply))
  return isRefused(entered) ? refuser.refuse(reply, entered.refusal) : reply
}
