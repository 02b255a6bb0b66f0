// What every operation of the administration does on the wire: recognise the caller, refuse bad input, answer.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '../../../../api/values/access.ts'
import type { Origin } from '../../domain/caller.ts'
import { isRefused, type OrRefusal } from '../../domain/refusal.ts'
import { readIdempotencyKey } from '../wire/idempotency-key.ts'
import { type PathParameter, pathParameterOf } from '../wire/path.ts'
import type { Refuser } from '../wire/refusals.ts'
import type { AdministrationWire } from '../wire/wire.ts'

export type AdministrationInput<Body> = {
  readonly body: Body
  readonly path: PathParameter
}

type Administration<Body, Found extends object> = {
  readonly access: Access
  readonly run: (origin: Origin, input: AdministrationInput<Body>) => Promise<OrRefusal<Found>>
  readonly answer: (reply: FastifyReply, found: Found) => FastifyReply
}

/**
 * A hook that turns callers away who may not, before their body is read: for a route whose bodies are large. Its handler
 * asks again.
 */
export const requireAccess =
  ({ refuser, inTime }: AdministrationWire, access: Access) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const origin = await inTime(refuser.recognise(request, access))
    return isRefused(origin) ? refuser.refuse(reply, origin.refusal) : undefined
  }

/** The handler of one operation. Its route attaches a refused input instead of answering: who is not known, hears 401 first. */
export const makeAdministrationHandler =
  <Body, Found extends object>(refuser: Refuser, { access, run, answer }: Administration<Body, Found>) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const origin = await refuser.recognise(request, access)
    if (isRefused(origin)) return refuser.refuse(reply, origin.refusal)
    if (request.validationError !== undefined) return refuser.fail(reply, request.validationError)
    const key = readIdempotencyKey(request)
    if (isRefused(key)) return refuser.refuse(reply, key.refusal)
    // The validator of the route made the body just that.
    const input = { body: request.body as Body, path: pathParameterOf(request) }
    const found = await run({ ...origin, ...key }, input)
    return isRefused(found) ? refuser.refuse(reply, found.refusal) : answer(reply, found)
  }
