// POST /oauth/token: a token for client credentials (RFC 6749 §4.4).
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isRefused } from '../../domain/refusal.ts'
import { ISSUES_MAX, makeIssueToken } from '../../operations/tokens/issue-token.ts'
import { clientFields, makeClientReader, readClientCredentials } from './client-credentials.ts'
import type { Wire } from '../wire/wire.ts'

export const tokenForm = z.object({
  grant_type: z.string({ error: 'is missing: send client_credentials' }).meta({ examples: ['client_credentials'] }),
  ...clientFields,
  scope: z
    .string()
    .optional()
    .meta({ description: 'Items resource:action, separated by one space each.', examples: ['db:read'] }),
  resource: z
    .array(z.string())
    .optional()
    .describe('The absolute URI of what the token is for (RFC 8707); repeatable.'),
  audience: z.array(z.string()).optional().describe('Another name for resource.'),
})

export const tokenAnswer = z.object({
  access_token: z.string().describe('A JWT (RFC 9068).'),
  token_type: z.enum(['Bearer', 'DPoP']).describe('DPoP where the request carried a proof (RFC 9449 §5).'),
  expires_in: z.int().positive().describe('Lifetime of the token in seconds.'),
  scope: z.string().describe('The scope granted.'),
})

type TokenRequest = FastifyRequest<{ Body: z.output<typeof tokenForm> }>

/** The value of the DPoP header, the empty one too: a client that sends it wants no bearer token. */
const dpopOf = ({ headers: { dpop } }: FastifyRequest): string | undefined =>
  Array.isArray(dpop) ? dpop.join(', ') : dpop

export const makeTokenHandler = (wire: Wire) => {
  const { ports, refuser, logger, inTime } = wire
  const readClient = makeClientReader(wire, readClientCredentials)
  const onFull = () => logger.warn({ underWay: ISSUES_MAX }, 'token requests are refused until others are answered')
  const issue = makeIssueToken(ports, { inTime, defer: setImmediate, onFull })

  // Returns nothing: Fastify would watch the stream of a reply that it gets until its end.
  return async (request: TokenRequest, reply: FastifyReply): Promise<void> => {
    const form = request.body
    const client = readClient(request)
    if (isRefused(client)) return void refuser.refuse(reply, client.refusal)
    const resources = [...(form.resource ?? []), ...(form.audience ?? [])]
    const dpop = dpopOf(request)
    const issued = await issue({ ...client, grantType: form.grant_type, scope: form.scope, resources, dpop })
    if (isRefused(issued)) return void refuser.refuse(reply, issued.refusal)
    const answer: z.output<typeof tokenAnswer> = {
      access_token: issued.accessToken,
      token_type: issued.tokenType,
      expires_in: issued.expiresInSeconds,
      scope: issued.scope,
    }
    if (typeof issued.nonce === 'string') void reply.header('dpop-nonce', issued.nonce)
    void reply.send(answer)
  }
}
