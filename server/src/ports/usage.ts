// What agents use of the service: counted by the threads that answer, and read by operators.
import type { ServiceStatus } from '../domain/service-status.ts'
import type { AgentUsage } from '../domain/clients/agent-usage.ts'

export interface UsageCounts {
  /** Counts a token that was inserted. In memory; written about a second later, in the background. Never throws. */
  countIssued(agent: number, tokenId: string): void
  /** Counts a token request of an authenticated agent that was refused, in the same way. */
  countRefused(agent: number): void
  /**
   * The agents that asked for a token within the last day, deleted ones too; those with the most tokens of the last minute
   * first, then those that issued last. At most `limit`. The answer is at most a second old, its counts another second.
   */
  list(limit: number): Promise<readonly AgentUsage[]>
  /** The state of the whole service, as old as a list may be. */
  status(): Promise<ServiceStatus>
}
