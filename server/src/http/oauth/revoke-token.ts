// POST /oauth/revoke: ends a token (RFC 7009), for an operator or for the client that got it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import { type RevokeRequest, revokeToken } from '../../operations/tokens/revoke-token.ts'
import type { PresentedCertificate } from '../../domain/clients/client-certificate.ts'
import { answerBy } from '../wire/answer-deadline.ts'
import { parseAuthorization } from '../wire/authorization.ts'
import { clientFields, type ClientFields, readClientCredentials } from './client-credentials.ts'
import { sourceOf } from '../wire/source.ts'
import type { Wire } from '../wire/wire.ts'

export const revokeForm = z.object({
  token: z.string({ error: 'is missing: send the token to revoke' }).describe('The token to revoke.'),
  token_type_hint: z.string().optional().describe('Taken and not needed (RFC 7009 §2.1).'),
  ...clientFields,
})

export const revokeAnswer = z.object({}).describe('The token is not active, on any process, ever again.')

type RevocationRequest = FastifyRequest<{ Body: z.output<typeof revokeForm> }>

/** An operator's JWT, or the authentication of the client; a bare client_id beside a JWT is no authentication. */
const readCredentials = (
  header: string | undefined,
  form: ClientFields,
  certificate: PresentedCertificate | undefined,
): OrRefusal<RevokeRequest['credentials']> => {
  const authorization = parseAuthorization(header)
  if (authorization?.scheme !== 'bearer') return readClientCredentials(authorization, form, certificate)
  if (form.client_secret !== undefined || form.client_assertion !== undefined) {
    return refuse('invalid_request', 'The request carries a Bearer token and client authentication: choose one.')
  }
  return { kind: 'bearer', jwt: authorization.credentials }
}

export const makeRevokeHandler =
  ({ ports, refuser, logger, findCertificate }: Wire) =>
  async (request: RevocationRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const shown = findCertificate(request)
    if (isRefused(shown)) return refuser.refuse(reply, shown.refusal)
    const credentials = readCredentials(request.headers.authorization, request.body, shown.certificate)
    if (isRefused(credentials)) return refuser.refuse(reply, credentials.refusal)
    const origin = { requestId: request.id, source: sourceOf(request), until: answerBy(ports) }
    const revoked = await revokeToken(ports, { credentials, token: request.body.token, ...origin })
    if (isRefused(revoked)) return refuser.refuse(reply, revoked.refusal)
    logger.info({ requestId: request.id, outcome: revoked.outcome }, 'revocation')
    return reply.send({})
  }
