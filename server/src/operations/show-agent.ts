// Shows one agent.
import type { Agent } from '../domain/agent.ts'
import type { Administrator } from '../domain/caller.ts'
import { type OrRefusal, refuse } from '../domain/refusal.ts'
import { isUuid } from '../domain/token-id.ts'
import type { Ports } from '../ports.ts'

export const refuseUnknownAgent = (agentId: string): ReturnType<typeof refuse> =>
  refuse('not_found', `No agent has the id ${agentId}.`)

/** The agent with this id. */
export const showAgent = async (
  ports: Pick<Ports, 'agents'>,
  _caller: Administrator,
  agentId: string,
): Promise<OrRefusal<Agent>> => {
  const agent = isUuid(agentId) ? await ports.agents.show(agentId) : undefined
  return agent ?? refuseUnknownAgent(agentId)
}
