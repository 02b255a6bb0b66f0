// Shows a revocation of many tokens: what it asked for, by whom it was made, and how far its records have followed.
import { type Administrator, audiencesOf } from '../../domain/caller.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Revocation } from '../../domain/ledger/revocation.ts'
import { isUuid } from '../../../../api/values/uuid.ts'
import type { Ports } from '../../ports/ports.ts'

/** The revocation with this id. One that reached beyond the caller's audiences does not exist for him. */
export const showRevocation = async (
  ports: Pick<Ports, 'revocations'>,
  caller: Administrator,
  id: string,
): Promise<OrRefusal<Revocation>> => {
  const revocation = isUuid(id) ? await ports.revocations.show(id) : undefined
  const audiences = audiencesOf(caller)
  const isSeen = audiences === null || audiences.includes(revocation?.conditions.audience ?? '')
  if (revocation === undefined || !isSeen)
    return refuse('not_found', 'No revocation has this id, or none that is kept.')
  return revocation
}
