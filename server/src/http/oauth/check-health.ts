// In this folder: the public endpoints: token, introspection, revocation, keys, metadata, health. The operations decide.
// GET /livez and /readyz: whether the process runs, and whether it can serve.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { components } from '../../../../api/status.ts'
import type { ForwardedState } from '../../../../api/values/checks.ts'
import { badOf, type CheckResult, worstOf } from '../../domain/checkup.ts'
import { Unavailable } from '../../domain/refusal.ts'
import { SUSPENDED_BRIEF } from '../../domain/restore.ts'
import { checkComponents, checkHealth } from '../../operations/check-health.ts'
import type { IssuerState } from '../../ports/issuers.ts'
import type { ProviderState } from '../../ports/key-sets.ts'
import type { RawFields } from '../wire/fields.ts'
import { RETRY_AFTER_SECONDS } from '../wire/connections/pipelining.ts'
import type { Refuser } from '../wire/refusals.ts'
import type { Wire } from '../wire/wire.ts'

type Component = NonNullable<z.output<typeof components>>[number]

export const answerAlive = (_request: FastifyRequest, reply: FastifyReply): FastifyReply => reply.send({ status: 'ok' })

const sendUnready = (reply: FastifyReply, why: string, more?: readonly Component[]): FastifyReply =>
  reply
    .code(503)
    .header('retry-after', RETRY_AFTER_SECONDS)
    .send({ status: 'unavailable', reason: why, ...(more !== undefined && { components: more }) })

// The detail is for the log: nobody has to be recognized to ask here.
const formatProvider = (state: ProviderState): Component => ({
  name: 'identity_provider',
  issuer: state.issuer,
  status: state.status,
  ...(state.status !== 'ok' && { reason: `Its keys cannot be read: ${state.cause}.` }),
})

const WORST_FIRST = ['unavailable', 'stale'] as const

// No alias and no cause: whose tenants are trusted, and what is at an address that administrators named, is for nobody else.
const formatIssuers = (states: readonly IssuerState[]): readonly Component[] => {
  if (states.length === 0) return []
  const bad = states.filter(({ status }) => status !== 'ok')
  const status = WORST_FIRST.find(one => bad.some(state => state.status === one)) ?? 'ok'
  const reason = `The keys of ${bad.length} of ${states.length} cannot be read: \`mintmark doctor\` says which.`
  return [{ name: 'trusted_issuers', status, ...(bad.length > 0 && { reason }) }]
}

const SUSPENSIONS: Component = { name: 'suspensions', status: 'warning', reason: SUSPENDED_BRIEF }

const isVerbose = ({ query }: FastifyRequest): boolean =>
  (query as RawFields).pairs?.some(([name]) => name === 'verbose') ?? false

const formatCheck = ({ name, findings }: CheckResult): Component => ({
  name: 'check',
  check: name,
  status: worstOf(findings),
  // What names paths and addresses is for the log, as above.
  ...(worstOf(findings) !== 'ok' && { reason: [...new Set(badOf(findings).map(({ brief }) => brief))].join(' ') }),
})

const formatForwarded = (state: ForwardedState | null): readonly Component[] =>
  state === null ? [] : [{ name: 'forwarded_address', status: state }]

type Reported = Pick<Wire, 'ports' | 'checks' | 'forwardedStateOf'>

export const makeReadyHandler = ({ ports, checks, forwardedStateOf }: Reported) => {
  const answerVerbosely = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { readiness, providers, issuers, isAnySuspended } = await checkComponents(ports)
    const others = [
      ...providers.map(formatProvider),
      ...formatIssuers(issuers),
      ...(isAnySuspended ? [SUSPENSIONS] : []),
      ...checks().map(formatCheck),
      ...formatForwarded(forwardedStateOf(request)),
    ]
    return readiness.ready
      ? reply.send({ status: 'ok', components: [{ name: 'store', status: 'ok' }, ...others] })
      : sendUnready(reply, readiness.reason, [
          { name: 'store', status: 'unavailable', reason: readiness.reason },
          ...others,
        ])
  }
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (isVerbose(request)) return answerVerbosely(request, reply)
    const readiness = await checkHealth(ports)
    return readiness.ready ? reply.send({ status: 'ok' }) : sendUnready(reply, readiness.reason)
  }
}

/** A check that could not be made in time is a reason like any other. */
export const makeUnreadyHandler =
  (refuser: Refuser) =>
  (fault: Error, _request: FastifyRequest, reply: FastifyReply): void =>
    void (fault instanceof Unavailable ? sendUnready(reply, fault.message) : refuser.fail(reply, fault))
