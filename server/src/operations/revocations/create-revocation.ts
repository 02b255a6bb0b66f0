// The kill switch: ends every token that some conditions cover. After its answer no process reports one of them active,
// however many they are; their records follow.
import { actBy, type Origin } from '../../domain/caller.ts'
import { isExisting, refuseRepeat } from '../../domain/idempotency.ts'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import { parseUuid } from '../../../../api/values/uuid.ts'
import type { Ports, RevocationMade } from '../../ports/ports.ts'
import { checkRevocation, refuseObstacle, type RevocationRequest } from './check-revocation.ts'

/** The revocation, made now or, where its id and conditions are those of an earlier one, as that one stands. */
export const createRevocation = async (
  ports: Pick<Ports, 'revocations' | 'randomness'>,
  origin: Origin,
  request: RevocationRequest,
): Promise<OrRefusal<RevocationMade>> => {
  const checked = checkRevocation(origin.caller, request)
  if (isRefused(checked)) return checked
  const id = request.id === null ? ports.randomness.uuid() : parseUuid(request.id)
  if (id === undefined) return refuse('invalid_request', 'id is not a UUID.')
  const made = await ports.revocations.create({ id, ...checked }, actBy(origin, 'revocation.create', request.note))
  if (typeof made === 'string') return refuseObstacle(made)
  return isExisting(made) ? refuseRepeat(made) : made
}
