// What would end with the agents that were chosen to be stopped.
import type { AgentRecord } from '../../../packages/client/src/index.ts'
import type { Ends } from '../acts/would-end.tsx'

/** By it the note is kept, whichever agents they are. */
export const STOP_CHOSEN = 'stop chosen agents'

export type StopPlan = {
  readonly stops: readonly { readonly agent: AgentRecord; readonly ends: Ends }[]
  /** Those that are stopped already. */
  readonly stopped: readonly AgentRecord[]
  /** Those that were deleted meanwhile. */
  readonly gone: readonly AgentRecord[]
}

/** Sums the plans. A descendant of one agent's token may be another agent's token: there may be fewer `descendants` than the sum. */
export const sumOf = ({ stops }: Pick<StopPlan, 'stops'>) => ({
  tokens: stops.reduce((sum, { ends }) => sum + ends.tokens, 0),
  descendants: stops.reduce((sum, { ends }) => sum + ends.descendants, 0),
  isExact: stops.every(({ ends }) => ends.exact),
})
