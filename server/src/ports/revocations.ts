// The port of revocations of many tokens.
import type { Act } from '../domain/audit/act.ts'
import type { KeysOfIssuer, NewIssuer } from '../domain/clients/trusted-issuer.ts'
import type { AlreadyExists } from '../domain/idempotency.ts'
import type { RevocationPlan } from '../domain/ledger/plan.ts'
import type {
  Revocation,
  RevocationConditions,
  RevocationDryRun,
  RevocationObstacle,
} from '../domain/ledger/revocation.ts'
import type { NameKinds } from '../domain/lists/names.ts'
import type { SingleUse } from './secret-repositories.ts'

export type NewRevocation = Pick<Revocation, 'id' | 'conditions' | 'reason'> & {
  /** A plan that bounds the revocation: it is made only if it ends no more than the plan counted. */
  readonly plan?: RevocationPlan
}

/** `existing`: one with this id and the same conditions exists, and is unchanged. */
export type RevocationMade = { readonly outcome: 'created' | 'existing'; readonly revocation: Revocation }

export interface RevocationRepository {
  /**
   * Ends every token that matches the conditions, effective when acknowledged; rows are updated later. Of two callers with
   * one id, or with one idempotency key, one gets `created`. Throws Unavailable if too many are open already.
   */
  create(revocation: NewRevocation, act: Act): Promise<RevocationMade | RevocationObstacle | AlreadyExists>
  /**
   * The same for an issuer, while its record is the one by which its JWT was verified. A repetition with the same id, use and subject
   * gets `existing`; with another subject `used`.
   */
  createForIssuer(
    revocation: NewRevocation,
    once: { readonly use: SingleUse; readonly by: KeysOfIssuer & Pick<NewIssuer, 'alias'> },
    act: Act,
  ): Promise<RevocationMade | RevocationObstacle | AlreadyExists | 'used' | 'issuer_changed'>
  /** Counts and samples the tokens that `create` would end now, and changes nothing. */
  dryRun(conditions: RevocationConditions, named?: NameKinds): Promise<RevocationDryRun | RevocationObstacle>
  show(id: string): Promise<Revocation | undefined>
}
