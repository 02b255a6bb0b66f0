// What would end with the agents that were chosen to be stopped.
import type { AgentRecord } from '../../../packages/client/src/index.ts'
import type { Ends } from '../acts/would-end.tsx'

export type StopPlan = readonly { readonly agent: AgentRecord; readonly ends: Ends }[]

/** What was got for the tokens of one of them may be a token of another: `descendants` are at most so many. */
export const sumOf = (plan: readonly { readonly ends: Ends }[]) => ({
  tokens: plan.reduce((sum, { ends }) => sum + ends.tokens, 0),
  descendants: plan.reduce((sum, { ends }) => sum + ends.descendants, 0),
  isExact: plan.every(({ ends }) => ends.exact),
})

/** Returns the shell command: each id holds letters, digits and hyphens only. */
export const commandOf = (agents: readonly Pick<AgentRecord, 'agent_id'>[]): string => {
  const ids = agents.map(({ agent_id: id }) => id)
  return ids.length === 1
    ? `mintmark agent disable ${ids.join('')}`
    : `for id in ${ids.join(' ')}; do mintmark agent disable "$id" --yes; done`
}
