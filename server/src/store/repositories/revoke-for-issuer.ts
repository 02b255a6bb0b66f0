// A revocation that an issuer asks for: once for its JWT, and only by the record by which that was verified.
import type { Act } from '../../domain/audit/act.ts'
import { haveSameKeys, type KeysOfIssuer, type NewIssuer } from '../../domain/clients/trusted-issuer.ts'
import type { RevocationObstacle } from '../../domain/ledger/revocation.ts'
import type { AlreadyExists } from '../../domain/idempotency.ts'
import type { NewRevocation, RevocationMade } from '../../ports/revocations.ts'
import type { SingleUse } from '../../ports/secret-repositories.ts'
import { keepProof, stateOfProof } from '../ledger/proofs.ts'
import { createRevocation, showRevocation } from '../ledger/revocations.ts'
import type { Program } from '../statement-program.ts'
import type { Transaction } from '../transaction.ts'
import { showIssuer } from './issuers.ts'

type RevokeForIssuer = {
  readonly revocation: NewRevocation
  readonly use: SingleUse
  readonly by: KeysOfIssuer & Pick<NewIssuer, 'alias'>
  readonly act: Act
}

/** What was made for the same use and subject, as the answer to a repetition; another subject is no repetition. */
function* findMade({ id, conditions }: NewRevocation): Program<RevocationMade | 'used'> {
  const revocation = yield* showRevocation(id)
  if (revocation === undefined || revocation.conditions.subject !== conditions.subject) return 'used'
  return { outcome: 'existing', revocation }
}

export function* revokeForIssuer(
  tx: Transaction,
  { revocation, use, by, act }: RevokeForIssuer,
): Program<RevocationMade | RevocationObstacle | AlreadyExists | 'used' | 'issuer_changed'> {
  const issuer = yield* showIssuer(by.alias)
  if (issuer === undefined || issuer.disabledAt !== null || issuer.suspendedAt !== null || !haveSameKeys(issuer, by))
    return 'issuer_changed'
  const state = yield* stateOfProof(tx, use)
  if (state !== 'unused') return state === 'late' ? 'used' : yield* findMade(revocation)
  const made = yield* createRevocation(tx, { revocation, act })
  if (typeof made === 'object') yield* keepProof(use)
  return made
}
