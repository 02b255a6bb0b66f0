// The dry run of the kill switch: how many tokens a revocation would end now, and a few of them. It changes nothing.
import type { Administrator } from '../../domain/caller.ts'
import { isRefused, type OrRefusal } from '../../domain/refusal.ts'
import type { RevocationPreview } from '../../domain/ledger/revocation.ts'
import type { Ports } from '../../ports/ports.ts'
import { checkRevocation, refuseObstacle, type RevocationRequest } from './check-revocation.ts'

/** Exact up to COUNT_EXACT_MAX tokens. What is refused here would be refused there. */
export const previewRevocation = async (
  ports: Pick<Ports, 'revocations'>,
  caller: Administrator,
  request: RevocationRequest,
): Promise<OrRefusal<RevocationPreview>> => {
  const checked = checkRevocation(caller, request)
  if (isRefused(checked)) return checked
  const preview = await ports.revocations.preview(checked.conditions)
  return typeof preview === 'string' ? refuseObstacle(preview) : preview
}
