// What an act ends, as a dry run counts it and the act itself ends it.
import type { EndingReason } from '../../../../api/values/reason.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { type CutOff, type CutOffConditions, isAncestorEnd, type Cause } from './ledger.ts'

/** One of the cut-offs that an act makes. */
export type Ending = { readonly conditions: CutOffConditions; readonly reason: EndingReason }

/** An agent, and how many of its live tokens end because an ancestor does. */
export type DescendantAgent = { readonly agentId: string; readonly name: string; readonly tokens: number }

/** The live tokens that an act would end. */
export type EndCount = {
  /** Those that its cut-offs cover. */
  readonly tokens: number
  /** Those that end because an ancestor does. */
  readonly descendants: number
  /** Whose those are, most first, at most DESCENDANT_AGENTS_MAX. */
  readonly descendantAgents: readonly DescendantAgent[]
  /** Whether both counts are exact; where not they are lower bounds. */
  readonly isExact: boolean
  /** The reason of each of its cut-offs; none where the act ends nothing, whatever lives. */
  readonly reasons: readonly EndingReason[]
}

/** What a dry run answers in place of what the act does. */
export type Counted = { readonly ends: EndCount }

type Instant = {
  /** The number of the last act. */
  readonly after: number
  readonly at: Milliseconds
}

/** The cut-offs as they would stand if they were made now, in this order, with acts after every other. */
export const wouldEnd = (endings: readonly Ending[], { after, at }: Instant): readonly CutOff[] =>
  endings.map(({ conditions, reason }, n) => ({
    ...conditions,
    seq: after + n + 1,
    at,
    reason,
    act: Number.MAX_SAFE_INTEGER - endings.length + n + 1,
  }))

/** How one of these cut-offs ends a token; undefined where something else has ended it, or nothing. */
export const endedBy = (cutOffs: readonly CutOff[], cause: Cause | undefined): 'token' | 'descendant' | undefined => {
  if (typeof cause !== 'object' || !cutOffs.some(({ act }) => act === cause.act)) return undefined
  return isAncestorEnd(cause) ? 'descendant' : 'token'
}

/** On the wire. */
export const formatEnds = ({ ends: { tokens, descendants, descendantAgents, isExact, reasons } }: Counted) => ({
  dry_run: true as const,
  ends: {
    tokens,
    descendants,
    descendant_agents: descendantAgents.map(({ agentId, ...agent }) => ({ agent_id: agentId, ...agent })),
    exact: isExact,
    reasons: [...reasons],
  },
})
