// What agents use of the service, and where their tokens are used: counted by the threads that answer, and read by operators.
import type { Expiring, ServiceStatus } from '../domain/service-status.ts'
import type { AgentRefusals, RefusalsRequest } from '../domain/clients/agent-refusals.ts'
import type { RefusalReason } from '../domain/refusal-reasons.ts'
import type { AgentUsage } from '../domain/clients/agent-usage.ts'
import type { LateUse, LateUseFilters, TokenUse, TokenUseFilters } from '../domain/clients/token-use.ts'
import type { PositionReport } from '../domain/clients/verifier.ts'
import type { SeriesRequest, UsageSeries } from '../domain/clients/usage-series.ts'
import type { PublicJwk } from '../domain/keys/signing-key.ts'
import type { Page, PageRequest } from '../domain/lists/page.ts'
import type { Seconds } from '../../../api/values/time.ts'
import type { TokenReference } from './token-codec.ts'

/** What was introspected and answered with inactive. */
export type Inactive =
  /** No token of this service. */
  | { readonly kind: 'unknown' }
  /** A live token, for other audiences than the API key's. */
  | { readonly kind: 'outside'; readonly agentId: string }
  /** A token that has ended, whose row is still there. */
  | {
      readonly kind: 'ended'
      readonly agentId: string
      readonly tokenId: string
      readonly expiresAt: Seconds
      readonly isOutside: boolean
    }
  /** A token that was ended and moved, or none: the store knows by its id, and the signature shows that it is the token. */
  | {
      readonly kind: 'unfound'
      readonly reference: TokenReference
      readonly audiences: readonly string[] | null
      readonly isSignedBy: (key: PublicJwk) => Promise<boolean>
    }

export interface UsageCounts {
  /** Counts a token that was inserted. In memory; written about a second later, in the background. Never throws. */
  countIssued(agent: number, tokenId: string): void
  /**
   * Counts a token request of an authenticated agent that was refused, in the same way; null: any request, or connection,
   * that a limit of the service turned away.
   */
  countRefused(agent: number | null, reason: RefusalReason): void
  /** Runs what counts once the answers of this turn are out, and before anything more is handed over. It must not throw. */
  afterAnswers(count: () => void): void
  /** Counts an introspection that was answered with active, in the same way. */
  countActive(apiKeyId: string, agentId: string): void
  /** Counts an introspection that was answered with inactive, in the same way. */
  countInactive(apiKeyId: string, inactive: Inactive): void
  /** Counts what a follower of the revocation feed says that it used, in the same way. */
  countReported(report: Pick<PositionReport, 'apiKeyId' | 'name' | 'uses'>): void
  /**
   * The agents that asked for a token within the last day, deleted ones too; those with the most tokens of the last minute
   * first, then those that issued last. At most `limit`. The answer is at most a second old, its counts another second.
   */
  list(limit: number): Promise<readonly AgentUsage[]>
  /** The same of a few agents by their ids, also of those that asked for no token; deleted ones too. Its counts are a second old. */
  listEach(agentIds: readonly string[], limit: number): Promise<readonly AgentUsage[]>
  /** Lists where tokens were used, newest minute first. */
  listUses(request: PageRequest<TokenUseFilters>): Promise<Page<TokenUse>>
  /** Tokens that were introspected after their end, last used first. */
  listLateUses(request: PageRequest<LateUseFilters>): Promise<Page<LateUse>>
  /** The state of the whole service, as old as a list may be. */
  status(): Promise<ServiceStatus>
  /** What happened over time; of all agents as old as a list may be. Undefined if no agent has the id. */
  series(request: SeriesRequest): Promise<UsageSeries | undefined>
  /** What was refused of late by agent and reason, most first; of all agents as old as a list may be. */
  listRefusals(request: RefusalsRequest): Promise<readonly AgentRefusals[]>
  /** The credentials and API keys that expire soon, soonest first; as old as a list may be. */
  listExpiring(): Promise<readonly Expiring[]>
}
