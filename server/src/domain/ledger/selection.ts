// Agents that a revocation selects by what operators mark them with.
import type { Labels } from '../../../../api/values/labels.ts'

/** By what the agents of a list of tokens are selected; null: by nothing of that kind. */
export type AgentMarks = {
  readonly owner: string | null
  /** They have each of these. */
  readonly labels: readonly { readonly key: string; readonly value: string }[] | null
  /** The whole name. */
  readonly agentName: string | null
}

export const isUnmarked = ({ owner, labels, agentName }: AgentMarks): boolean =>
  owner === null && labels === null && agentName === null

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
