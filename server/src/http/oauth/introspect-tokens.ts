// POST /oauth/introspect/v2: whether a token is active (RFC 7662), asked with an API key.
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type introspectToken, SIGNED_TYPE } from '../../../../api/oauth.ts'
import type { FormOf } from '../../../../api/operation.ts'
import { counted, isRefused, type OrRefusal, refuse, refuseCaller } from '../../domain/refusal.ts'
import type { PresentedApiKey } from '../../operations/authentication/authenticate-api-key.ts'
import { GROUP_MAX, inGroups } from '../../operations/group.ts'
import { type IntrospectRequest, introspectTokens } from '../../operations/tokens/introspect-tokens.ts'
import { signIntrospections } from '../../operations/tokens/sign-introspections.ts'
import { makeNegotiator } from './accept.ts'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import { answerBy } from '../wire/answer-deadline.ts'
import { decodeBasic, parseAuthorization } from '../wire/authorization.ts'
import { headerOf } from '../wire/header.ts'
import { makeCallerNote } from '../notes/request-note.ts'
import type { Wire } from '../wire/wire.ts'

type IntrospectionRequest = FastifyRequest<{ Body: FormOf<typeof introspectToken> }>

type Presented = { readonly apiKey: PresentedApiKey | undefined }

const refuseScheme = () =>
  counted(refuseCaller('invalid_client', 'Introspection needs an API key: send a live one in X-API-Key.', 'Basic'), {
    way: 'api_key',
    clientId: null,
  })

/** The API key in X-API-Key, or as the password of HTTP Basic with its id as the user. */
const readApiKey = (request: FastifyRequest): OrRefusal<Presented> => {
  const key = headerOf(request, 'x-api-key')
  const authorization = parseAuthorization(request.headers.authorization)
  if (authorization === undefined) return { apiKey: key === undefined ? undefined : { key, id: null } }
  if (key !== undefined) {
    return refuse('invalid_request', 'The request authenticates itself by X-API-Key and by Authorization: choose one.')
  }
  const basic = authorization.scheme === 'basic' ? decodeBasic(authorization.credentials) : undefined
  return basic === undefined ? refuseScheme() : { apiKey: { key: basic.password, id: basic.user } }
}

type Asked = IntrospectRequest & { readonly until: MonotonicMilliseconds }

const earliestOf = (requests: readonly Asked[]): MonotonicMilliseconds =>
  Math.min(...requests.map(({ until }) => until))

export const makeIntrospectHandler = ({ ports, refuser, inTime, credentials, metrics, traces }: Wire) => {
  // A group is answered as a whole: callers whose API key was good lately do not wait until those of strangers are read.
  const inLanes = <Answer>(makeGroups: () => (request: Asked) => Promise<Answer>) => {
    const [known, others] = [makeGroups(), makeGroups()]
    return (headers: IncomingHttpHeaders, request: Asked): Promise<Answer> =>
      (credentials.isFirst(headers) ? known : others)(request)
  }
  const introspect = inLanes(() =>
    inGroups(
      (requests: readonly Asked[]) => {
        metrics.observe('mintmark_group_requests', { group: 'introspect' }, requests.length)
        return inTime(introspectTokens(ports, requests), earliestOf(requests))
      },
      GROUP_MAX,
      setImmediate,
      { traces, name: 'introspect' },
    ),
  )
  // Groups of their own: who asks for no signature waits for none.
  const introspectSigned = inLanes(() =>
    inGroups(
      (requests: readonly Asked[]) => {
        metrics.observe('mintmark_group_requests', { group: 'sign_introspections' }, requests.length)
        return inTime(signIntrospections(ports, requests), earliestOf(requests))
      },
      GROUP_MAX,
      setImmediate,
      { traces, name: 'sign_introspections' },
    ),
  )
  const count = (active: boolean): void =>
    metrics.add('mintmark_tokens_introspected_total', { result: active ? 'active' : 'inactive' })
  const mediaTypeFor = makeNegotiator('application/json', SIGNED_TYPE)

  const answerSigned = async (headers: IncomingHttpHeaders, reply: FastifyReply, request: Asked): Promise<void> => {
    const answer = await introspectSigned(headers, request)
    if (isRefused(answer)) return void refuser.refuse(reply, answer.refusal)
    count(answer.active)
    void reply.type(SIGNED_TYPE).send(answer.jwt)
  }

  // Gives nothing back: Fastify would watch the stream of a reply that it is given until its end.
  return async (request: IntrospectionRequest, reply: FastifyReply): Promise<void> => {
    const presented = readApiKey(request)
    if (isRefused(presented)) return void refuser.refuse(reply, presented.refusal)
    const asked = {
      apiKey: presented.apiKey,
      token: request.body.token,
      until: answerBy(ports, request.raw),
      onCaller: makeCallerNote(request.raw, ports.secrets),
    }
    if (mediaTypeFor(request.headers.accept) === SIGNED_TYPE) return answerSigned(request.headers, reply, asked)
    const answer = await introspect(request.headers, asked)
    if (isRefused(answer)) return void refuser.refuse(reply, answer.refusal)
    credentials.add(request.headers)
    count(answer.active)
    void reply.send(answer)
  }
}
