// Shows one agent.
import type { Agent } from '../../domain/clients/agent.ts'
import type { Administrator } from '../../domain/caller.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import { isUuid } from '../../../../api/values/uuid.ts'
import type { Ports } from '../../ports/ports.ts'

/** What is no id is not told back: it may be a secret that was pasted in its place. */
export const refuseUnknownAgent = (agentId: string): ReturnType<typeof refuse> =>
  refuse('not_found', isUuid(agentId) ? `No agent has the id ${agentId}.` : 'No agent has this id: it is no UUID.')

/** The agent with this id. */
export const showAgent = async (
  ports: Pick<Ports, 'agents'>,
  _caller: Administrator,
  agentId: string,
): Promise<OrRefusal<Agent>> => {
  const agent = isUuid(agentId) ? await ports.agents.show(agentId) : undefined
  return agent ?? refuseUnknownAgent(agentId)
}
