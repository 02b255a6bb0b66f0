// GET /livez and /readyz: whether the process runs, and whether it can serve.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Unavailable } from '../domain/refusal.ts'
import { checkHealth } from '../operations/check-health.ts'
import type { Ports } from '../ports.ts'
import { type Refuser, RETRY_AFTER_SECONDS } from './refusals.ts'

export const healthAnswer = z.object({ status: z.literal('ok') })

export const unreadyAnswer = z.object({ status: z.literal('unavailable'), reason: z.string() })

export const answerAlive = (_request: FastifyRequest, reply: FastifyReply): FastifyReply => reply.send({ status: 'ok' })

const sendUnready = (reply: FastifyReply, reason: string): FastifyReply =>
  reply.code(503).header('retry-after', RETRY_AFTER_SECONDS).send({ status: 'unavailable', reason })

export const makeReadyHandler =
  (ports: Ports) =>
  async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const readiness = await checkHealth(ports)
    return readiness.ready ? reply.send({ status: 'ok' }) : sendUnready(reply, readiness.reason)
  }

/** A check that could not be made in time is a reason like any other. */
export const makeUnreadyHandler =
  (refuser: Refuser) =>
  (fault: Error, _request: FastifyRequest, reply: FastifyReply): void =>
    void (fault instanceof Unavailable ? sendUnready(reply, fault.message) : refuser.fail(reply, fault))
