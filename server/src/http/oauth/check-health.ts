// GET /livez and /readyz: whether the process runs, and whether it can serve.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { components } from '../../../../api/health.ts'
import { Unavailable } from '../../domain/refusal.ts'
import { checkComponents, checkHealth } from '../../operations/check-health.ts'
import type { ProviderState } from '../../ports/key-sets.ts'
import type { Ports } from '../../ports/ports.ts'
import type { RawFields } from '../wire/form.ts'
import { RETRY_AFTER_SECONDS } from '../wire/pipelining.ts'
import type { Refuser } from '../wire/refusals.ts'

type Component = NonNullable<z.output<typeof components>>[number]

export const answerAlive = (_request: FastifyRequest, reply: FastifyReply): FastifyReply => reply.send({ status: 'ok' })

const sendUnready = (reply: FastifyReply, why: string, more?: readonly Component[]): FastifyReply =>
  reply
    .code(503)
    .header('retry-after', RETRY_AFTER_SECONDS)
    .send({ status: 'unavailable', reason: why, ...(more !== undefined && { components: more }) })

const formatProvider = (state: ProviderState): Component => ({
  name: 'identity_provider',
  issuer: state.issuer,
  status: state.status,
  // The detail is for the log: nobody has to be recognized to ask here.
  ...(state.status !== 'ok' && { reason: `Its keys cannot be read: ${state.cause}.` }),
})

const isVerbose = ({ query }: FastifyRequest): boolean =>
  (query as RawFields).pairs?.some(([name]) => name === 'verbose') ?? false

export const makeReadyHandler = (ports: Ports) => {
  const answerVerbosely = async (reply: FastifyReply): Promise<FastifyReply> => {
    const { readiness, providers } = await checkComponents(ports)
    const others = providers.map(formatProvider)
    return readiness.ready
      ? reply.send({ status: 'ok', components: [{ name: 'store', status: 'ok' }, ...others] })
      : sendUnready(reply, readiness.reason, [
          { name: 'store', status: 'unavailable', reason: readiness.reason },
          ...others,
        ])
  }
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (isVerbose(request)) return answerVerbosely(reply)
    const readiness = await checkHealth(ports)
    return readiness.ready ? reply.send({ status: 'ok' }) : sendUnready(reply, readiness.reason)
  }
}

/** A check that could not be made in time is a reason like any other. */
export const makeUnreadyHandler =
  (refuser: Refuser) =>
  (fault: Error, _request: FastifyRequest, reply: FastifyReply): void =>
    void (fault instanceof Unavailable ? sendUnready(reply, fault.message) : refuser.fail(reply, fault))
