// POST /oauth/revoke: ends a token (RFC 7009), for an operator or for the client that got it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { revokeToken } from '../../../../api/oauth.ts'
import type { FormOf } from '../../../../api/operation.ts'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import { makeRevokeToken, type RevokeRequest } from '../../operations/tokens/revoke-token.ts'
import type { PresentedCertificate } from '../../domain/clients/client-certificate.ts'
import type { Authorization } from '../wire/authorization.ts'
import { type ClientFields, makeClientReader, readClientCredentials } from './client-credentials.ts'
import { makeCallerNote } from '../notes/request-note.ts'
import type { Wire } from '../wire/wire.ts'

type RevocationRequest = FastifyRequest<{ Body: FormOf<typeof revokeToken> }>

/** An operator's JWT, or the authentication of the client; a bare client_id beside a JWT is no authentication. */
const readCredentials = (
  authorization: Authorization | undefined,
  form: ClientFields,
  certificate: PresentedCertificate | undefined,
): OrRefusal<RevokeRequest['credentials']> => {
  if (authorization?.scheme !== 'bearer') return readClientCredentials(authorization, form, certificate)
  if (form.client_secret !== undefined || form.client_assertion !== undefined) {
    return refuse('invalid_request', 'The request carries a Bearer token and client authentication: choose one.')
  }
  return { kind: 'bearer', jwt: authorization.credentials }
}

export const makeRevokeHandler = (wire: Wire) => {
  const { ports, refuser, logger, credentials } = wire
  const readCaller = makeClientReader(wire, readCredentials)
  const revokeToken = makeRevokeToken(ports)
  return async (request: RevocationRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const caller = readCaller(request)
    if (isRefused(caller)) return refuser.refuse(reply, caller.refusal)
    const onCaller = makeCallerNote(request.raw)
    const revoked = await revokeToken({ ...caller, token: request.body.token, onCaller })
    if (isRefused(revoked)) return refuser.refuse(reply, revoked.refusal)
    credentials.add(request.headers)
    logger.info({ requestId: request.id, outcome: revoked.outcome }, 'revocation')
    return reply.send({})
  }
}
