// GET /livez and /readyz: whether the process runs, and whether it can serve.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { checkHealth } from '../operations/check-health.ts'
import type { Ports } from '../ports.ts'
import { RETRY_AFTER_SECONDS } from './refusals.ts'

export const healthAnswer = z.object({ status: z.literal('ok') })

export const unreadyAnswer = z.object({ status: z.literal('unavailable'), reason: z.string() })

export const answerAlive = (_request: FastifyRequest, reply: FastifyReply): FastifyReply => reply.send({ status: 'ok' })

export const makeReadyHandler =
  (ports: Ports) =>
  async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const readiness = await checkHealth(ports)
    if (readiness.ready) return reply.send({ status: 'ok' })
    return reply
      .code(503)
      .header('retry-after', RETRY_AFTER_SECONDS)
      .send({ status: 'unavailable', reason: readiness.reason })
  }
