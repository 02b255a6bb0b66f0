// POST /oauth/introspect/v2: whether a token is active (RFC 7662), asked with an API key.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isRefused, type OrRefusal, refuse, refuseCaller } from '../../domain/refusal.ts'
import type { PresentedApiKey } from '../../operations/authentication/authenticate-api-key.ts'
import { GROUP_MAX, inGroups } from '../../operations/group.ts'
import {
  introspectForOwner,
  type IntrospectRequest,
  introspectTokens,
} from '../../operations/tokens/introspect-tokens.ts'
import { signIntrospections } from '../../operations/tokens/sign-introspections.ts'
import type { AdministrationPorts, Ports } from '../../ports/ports.ts'
import { makeNegotiator } from './accept.ts'
import type { InTime } from '../../ports/deadline.ts'
import { decodeBasic, parseAuthorization } from '../wire/authorization.ts'
import { headerOf } from '../wire/header.ts'
import type { Refuser } from '../wire/refusals.ts'

export const introspectForm = z.object({
  token: z.string({ error: 'is missing: send the token to check' }).describe('The token to check.'),
  token_type_hint: z.string().optional().describe('Taken and not needed (RFC 7662 §2.1).'),
})

const introspectAnswer = z.object({
  active: z.boolean().describe('False, and then alone, for any token that is not active here, whatever the cause.'),
  sub: z.string().optional().describe("The agent's unique identifier, a UUID."),
  scope: z.string().optional(),
  exp: z.int().optional(),
  client_id: z.string().optional(),
  iss: z.string().optional(),
  aud: z.union([z.string(), z.array(z.string())]).optional(),
  iat: z.int().optional(),
  jti: z.string().optional(),
  token_type: z.enum(['Bearer', 'DPoP']).optional(),
  cnf: z
    .union([z.object({ jkt: z.string() }), z.object({ 'x5t#S256': z.string() })])
    .optional()
    .describe(
      'The key to which the token is bound: of DPoP proofs (RFC 9449 §6.2), or of a certificate (RFC 8705 §3.2).',
    ),
})

/** Where `Accept` asks for it, the answer as a JWT (RFC 9701 §5). */
const SIGNED_TYPE = 'application/token-introspection+jwt'

export const introspectAnswers = {
  description: `Whether the token is active; as a signed JWT where Accept asks for ${SIGNED_TYPE} (RFC 9701).`,
  content: {
    'application/json': { schema: introspectAnswer },
    [SIGNED_TYPE]: {
      schema: z
        .string()
        .describe(
          'A JWT with typ token-introspection+jwt, iss, aud (the id of the API key), iat, and in token_introspection the answer.',
        ),
    },
  },
}

type IntrospectionRequest = FastifyRequest<{ Body: z.output<typeof introspectForm> }>

type Presented = { readonly apiKey: PresentedApiKey | undefined }

const refuseScheme = () =>
  refuseCaller('invalid_client', 'Introspection needs an API key: send a live one in X-API-Key.', 'Basic')

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

/** What the user at the terminal works with. `codec` is null where the issuer of the tokens is not known. */
export type TerminalPorts = AdministrationPorts & { readonly codec: Pick<Ports['codec'], 'read'> | null }

/** The same for the user at the terminal of the store, who needs no API key. */
export const makeOwnerIntrospectHandler =
  ({ codec, ...ports }: TerminalPorts, refuser: Refuser) =>
  async ({ body }: IntrospectionRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (codec !== null) return reply.send(await introspectForOwner({ ...ports, codec }, body.token))
    const description =
      'Tokens name their issuer, which is not known here: set MINTMARK_BASE_URL as the service has it.'
    return refuser.refuse(reply, { code: 'invalid_request', description })
  }
