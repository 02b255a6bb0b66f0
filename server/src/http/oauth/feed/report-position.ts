// POST /oauth/revocation-feed/positions: a follower says up to where it holds all facts.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { BodyOf } from '../../../../../api/operation.ts'
import { reportPosition as row } from '../../../../../api/verifiers.ts'
import { isRefused, type OrRefusal } from '../../../domain/refusal.ts'
import type { Follower } from '../../../operations/feed/authenticate-followers.ts'
import { reportPosition } from '../../../operations/verifiers/verifiers.ts'
import { routeOf } from '../../wire/describe.ts'
import { takeJson } from '../../wire/json-body.ts'
import type { Wire } from '../../wire/wire.ts'

type Recognize = (request: FastifyRequest) => Promise<OrRefusal<Follower>>

/** In a scope of its own: the rest of /oauth takes forms. */
export const serveReports = (app: FastifyInstance, wire: Wire, recognize: Recognize): void => {
  const { ports, refuser, sourceOf } = wire
  void app.register(async scope => {
    takeJson(scope)
    scope.route<{ Body: BodyOf<typeof row> }>({
      ...routeOf(row),
      // A caller that is not recognized hears 401 first.
      attachValidation: true,
      handler: async (request, reply): Promise<void> => {
        const follower = await recognize(request)
        if (isRefused(follower)) return void refuser.refuse(reply, follower.refusal)
        if (request.validationError !== undefined) return void refuser.fail(reply, request.validationError)
        const { name, epoch, position, uses = null } = request.body
        reportPosition(ports, follower.caller, { name, epoch, position, uses, address: sourceOf(request) })
        void reply.code(204).send()
      },
    })
  })
}
