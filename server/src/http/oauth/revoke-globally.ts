// POST /oauth/global-token-revocation: ends what was issued for a subject, for the issuer that names it.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { revokeGlobally as row } from '../../../../api/oauth.ts'
import { type BodyOf, pathOf } from '../../../../api/operation.ts'
import { isRefused } from '../../domain/refusal.ts'
import { recognizeIssuer, revokeGlobally } from '../../operations/revocations/revoke-globally.ts'
import { makeCallerNote } from '../notes/request-note.ts'
import { answerInTime } from '../wire/answer-deadline.ts'
import { parseAuthorization } from '../wire/authorization.ts'
import { routeOf } from '../wire/describe.ts'
import { takeJson } from '../wire/json-body.ts'
import type { Wire } from '../wire/wire.ts'

type GlobalRevocationRequest = FastifyRequest<{ Body: BodyOf<typeof row> }>

const bearerOf = ({ headers }: FastifyRequest): string | undefined => {
  const authorization = parseAuthorization(headers.authorization)
  return authorization?.scheme === 'bearer' ? authorization.credentials : undefined
}

/** In a scope of its own: the rest of /oauth takes forms. */
export const serveGlobalRevocation = (app: FastifyInstance, wire: Wire): void => {
  const { ports, refuser, sourceOf, logger } = wire
  const endpoint = ports.profile.issuer + pathOf(row)
  const handler = answerInTime(wire, async (request: GlobalRevocationRequest, reply) => {
    const origin = { requestId: request.id, source: sourceOf(request) }
    const recognized = await recognizeIssuer(ports, { ...origin, endpoint, jwt: bearerOf(request) })
    if (isRefused(recognized)) return refuser.refuse(reply, recognized.refusal)
    makeCallerNote(request.raw)?.(recognized.caller)
    if (request.validationError !== undefined) return refuser.fail(reply, request.validationError)
    const revoked = await revokeGlobally(ports, recognized, request.body, origin)
    if (isRefused(revoked)) return refuser.refuse(reply, revoked.refusal)
    logger.info({ requestId: request.id, revocationId: revoked.revocationId }, 'global revocation')
    return reply.code(204).send()
  })
  void app.register(async scope => {
    takeJson(scope)
    // A caller that is not recognized hears 401 before anything of its JSON.
    scope.route<{ Body: BodyOf<typeof row> }>({ ...routeOf(row), attachValidation: true, handler })
  })
}
