// POST /oauth/introspect/v2: whether a token is active (RFC 7662), asked with an API key.
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type introspectToken, SIGNED_TYPE } from '../../../../api/oauth.ts'
import type { FormOf } from '../../../../api/operation.ts'
import { membersOf } from '../../domain/ledger/introspection.ts'
import { isRefused } from '../../domain/refusal.ts'
import { GROUP_MAX } from '../../domain/one-by-one.ts'
import { inGroups } from '../../operations/group.ts'
import { type IntrospectRequest, introspectTokens } from '../../operations/tokens/introspect-tokens.ts'
import { signIntrospections } from '../../operations/tokens/sign-introspections.ts'
import { makeNegotiator } from '../../domain/text/accept.ts'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import { answerBy, answerInGroup } from '../wire/answer-deadline.ts'
import { readApiKey } from './client-credentials.ts'
import { makeCallerNote } from '../notes/request-note.ts'
import type { Wire } from '../wire/wire.ts'

type IntrospectionRequest = FastifyRequest<{ Body: FormOf<typeof introspectToken> }>

type Asked = IntrospectRequest & { readonly until: MonotonicMilliseconds }

const latestOf = (requests: readonly Asked[]): MonotonicMilliseconds => Math.max(...requests.map(({ until }) => until))

export const makeIntrospectHandler = (wire: Wire) => {
  const { ports, refuser, inTime, credentials, metrics, traces } = wire
  type Work<Answer> = (asked: typeof ports, requests: readonly Asked[]) => Promise<readonly (Answer | Error)[]>

  // A group is answered as a whole: callers whose API key was good lately do not wait until those of strangers are read.
  const inTwoGroups = <Answer>(name: 'introspect' | 'sign_introspections', work: Work<Answer>) => {
    const observe = metrics.histogram('mintmark_group_requests', { group: name })
    const group = () =>
      inGroups(
        (requests: readonly Asked[]) => {
          observe(requests.length)
          return inTime(work(ports, requests), latestOf(requests))
        },
        { groupMax: GROUP_MAX, defer: setImmediate, timing: ports.timing, traced: { traces, name } },
      )
    const [known, others] = [group(), group()]
    return (headers: IncomingHttpHeaders, request: Asked): Promise<Answer> =>
      (credentials.isFirst(headers) ? known : others)(request)
  }
  const introspect = inTwoGroups('introspect', introspectTokens)
  // Groups of their own: a request without a signature waits for none.
  const introspectSigned = inTwoGroups('sign_introspections', signIntrospections)
  const countOf = (result: 'active' | 'inactive') => metrics.counter('mintmark_tokens_introspected_total', { result })
  const [countActive, countInactive] = [countOf('active'), countOf('inactive')]
  const count = (active: boolean): void => (active ? countActive() : countInactive())
  const mediaTypeFor = makeNegotiator('application/json', SIGNED_TYPE)

  const answerSigned = async (headers: IncomingHttpHeaders, reply: FastifyReply, request: Asked): Promise<void> => {
    const answer = await answerInGroup(wire, reply.request.raw, introspectSigned(headers, request))
    if (isRefused(answer)) return void refuser.refuse(reply, answer.refusal)
    count(answer.active)
    void reply.type(SIGNED_TYPE).send(answer.jwt)
  }

  // Returns nothing: Fastify would watch the stream of a reply that it is given until its end.
  return async (request: IntrospectionRequest, reply: FastifyReply): Promise<void> => {
    const presented = readApiKey(request, 'Introspection')
    if (isRefused(presented)) return void refuser.refuse(reply, presented.refusal)
    const asked = {
      apiKey: presented.apiKey,
      token: request.body.token,
      until: answerBy(ports, request.raw),
      onCaller: makeCallerNote(request.raw),
    }
    if (mediaTypeFor(request.headers.accept) === SIGNED_TYPE) return answerSigned(request.headers, reply, asked)
    const answer = await answerInGroup(wire, request.raw, introspect(request.headers, asked))
    if (isRefused(answer)) return void refuser.refuse(reply, answer.refusal)
    credentials.add(request.headers)
    count(answer.active)
    void reply.send(membersOf(answer))
  }
}
