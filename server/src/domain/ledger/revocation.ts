// Bulk revocations, the kill switch: their conditions and their records.
import type { Actor } from '../audit/act.ts'
import type { TokenRecord } from '../lists/page.ts'
import type { AgentSelection } from './selection.ts'
import type { EndingReason } from '../../../../api/values/reason.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'

/** `ALIAS:SUB`, or the subject as its issuer calls itself (RFC 9493 §3.2.4). */
export type NamedSubject = string | { readonly iss: string; readonly sub: string }

/** Which tokens to end. Null means no condition; all others must hold; without any, every token ends. */
export type RevocationConditions = {
  readonly agentId: string | null
  readonly credentialId: string | null
  /** An item of the token's scope, or `resource:*` for any item of the resource. */
  readonly scope: string | null
  /** The token is for this audience, possibly among others. */
  readonly audience: string | null
  /** The key that signed the token. */
  readonly kid: string | null
  readonly issuedBefore: Milliseconds | null
  /** The id of any member of a tree: all of the tree, from its root. */
  readonly lineage: string | null
  /** The tokens that act for a subject of a trusted issuer. */
  readonly subject?: NamedSubject | null
  /** The tokens that act for any subject of the trusted issuer with this alias. */
  readonly issuer?: string | null
  /** Agents by their owner and labels. */
  readonly selection?: AgentSelection | null
}

/** No conditions: ends every token. */
export const NO_CONDITIONS: RevocationConditions = {
  agentId: null,
  credentialId: null,
  scope: null,
  audience: null,
  kid: null,
  issuedBefore: null,
  lineage: null,
}

export type Revocation = {
  readonly id: string
  /** The subject by the alias of its issuer. */
  readonly conditions: RevocationConditions
  /** How many agents its selection matched; null where it has none. */
  readonly agents: number | null
  readonly reason: EndingReason
  readonly note: string | null
  readonly createdBy: Actor
  readonly createdAt: Milliseconds
  /** `open` until all rows are updated. Every covered token is dead in either state. */
  readonly state: 'open' | 'closed'
  /** The position of its fact in the revocation feed; null if it is older than the feed. */
  readonly feedPosition: number | null
  /** The number of tokens that history shows as ended by it. */
  readonly tokensMoved: number
}

/** The tokens that a revocation would end now. */
export type RevocationDryRun = {
  /** When the count began, by the clock of the store. */
  readonly instant: Milliseconds
  readonly count: number
  /** False where the count is a lower bound. */
  readonly isExact: boolean
  /** How many agents the selection matches; null where there is none. */
  readonly agents: number | null
  /** Which agents those are, as a plan names them; null where there is no selection. */
  readonly agentsDigest: string | null
  /** A few of them, at most {@link SAMPLE_RECORDS_MAX}. */
  readonly sample: readonly TokenRecord[]
}

/** Why a revocation could not be created or counted. */
export type RevocationObstacle =
  | 'unknown_agent'
  | 'unknown_credential'
  | 'unknown_key'
  | 'unknown_token'
  | 'unknown_issuer'
  | 'no_issuer_fits'
  | 'several_issuers_fit'
  | 'no_agent_selected'
  | 'too_many_agents'
  | 'issued_before_in_future'
  | 'other_conditions'
  | 'plan_expired'
  | 'plan_outdated'
