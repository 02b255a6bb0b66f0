// Agents that a revocation selects by what operators mark them with.
import type { Labels } from '../../../../api/values/labels.ts'

export type AgentSelection = {
  /** Null selects agents of any owner. */
  readonly owner: string | null
  /** They have each of these; null: whatever they have. */
  readonly labels: Labels | null
  /** Whether they get no token any more either. */
  readonly disable: boolean
}

/** The agents that matched in the transaction of the act, by the store's numbers. */
export type SelectedAgents = AgentSelection & { readonly agents: readonly number[] }
