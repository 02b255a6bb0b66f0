// POST /oauth/introspect/v2: whether a token is active (RFC 7662), asked with an API key.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type introspectToken, SIGNED_TYPE } from '../../../../api/oauth.ts'
import type { FormOf } from '../../../../api/operation.ts'
import { counted, isRefused, type OrRefusal, refuse, refuseCaller } from '../../domain/refusal.ts'
import type { PresentedApiKey } from '../../operations/authentication/authenticate-api-key.ts'
import { GROUP_MAX, inGroups } from '../../operations/group.ts'
import { type IntrospectRequest, introspectTokens } from '../../operations/tokens/introspect-tokens.ts'
import { signIntrospections } from '../../operations/tokens/sign-introspections.ts'
import type { Ports } from '../../ports/ports.ts'
import { makeNegotiator } from './accept.ts'
import type { InTime } from '../../ports/deadline.ts'
import { decodeBasic, parseAuthorization } from '../wire/authorization.ts'
import { headerOf } from '../wire/header.ts'
import type { Refuser } from '../wire/refusals.ts'

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

export const makeIntrospectHandler = (ports: Ports, refuser: Refuser, inTime: InTime) => {
  const introspect = inGroups(
    (requests: readonly IntrospectRequest[]) => inTime(introspectTokens(ports, requests)),
    GROUP_MAX,
    setImmediate,
  )
  // A group of its own: who asks for no signature waits for none.
  const introspectSigned = inGroups(
    (requests: readonly IntrospectRequest[]) => inTime(signIntrospections(ports, requests)),
    GROUP_MAX,
    setImmediate,
  )
  const mediaTypeFor = makeNegotiator('application/json', SIGNED_TYPE)

  const answerSigned = async (reply: FastifyReply, request: IntrospectRequest): Promise<void> => {
    const answer = await introspectSigned(request)
    void (isRefused(answer) ? refuser.refuse(reply, answer.refusal) : reply.type(SIGNED_TYPE).send(answer.jwt))
  }

  // Gives nothing back: Fastify would watch the stream of a reply that it is given until its end.
  return async (request: IntrospectionRequest, reply: FastifyReply): Promise<void> => {
    const presented = readApiKey(request)
    if (isRefused(presented)) return void refuser.refuse(reply, presented.refusal)
    const asked = { apiKey: presented.apiKey, token: request.body.token }
    if (mediaTypeFor(request.headers.accept) === SIGNED_TYPE) return answerSigned(reply, asked)
    const answer = await introspect(asked)
    void (isRefused(answer) ? refuser.refuse(reply, answer.refusal) : reply.send(answer))
  }
}
