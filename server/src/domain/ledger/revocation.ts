// Revocations of many tokens at once, the kill switch: what may be asked, and what is known of one that was made.
import type { Actor } from '../audit/act.ts'
import type { TokenRecord } from '../lists/page.ts'
import type { EndingReason } from '../../../../api/values/reason.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'

/** Which tokens to end. A condition that is null is not asked; all that are asked must hold; none at all is every token. */
export type RevocationConditions = {
  readonly agentId: string | null
  readonly credentialId: string | null
  /** An item that the token carries, or `resource:*` for any item of the resource. */
  readonly scope: string | null
  /** The token is for this audience, among others perhaps. */
  readonly audience: string | null
  /** The key that signed the token. */
  readonly kid: string | null
  readonly issuedBefore: Milliseconds | null
}

export type Revocation = {
  readonly id: string
  readonly conditions: RevocationConditions
  readonly reason: EndingReason
  readonly note: string | null
  readonly createdBy: Actor
  readonly createdAt: Milliseconds
  /** `open` while rows follow. Every token that it covers is dead in either state. */
  readonly state: 'open' | 'closed'
  /** Tokens that stand in history as ended by it. */
  readonly tokensMoved: number
}

/** What a revocation would end if it were made now. */
export type RevocationPreview = {
  readonly count: number
  /** False: there are at least so many. */
  readonly isExact: boolean
  /** A few of them, at most {@link SAMPLE_RECORDS_MAX}. */
  readonly sample: readonly TokenRecord[]
}

/** Why a revocation could not be made, or counted. */
export type RevocationObstacle =
  | 'unknown_agent'
  | 'unknown_credential'
  | 'unknown_key'
  | 'issued_before_in_future'
  | 'other_conditions'
