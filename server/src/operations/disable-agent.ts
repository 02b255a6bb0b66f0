// Disables an agent: from the acknowledgement on it gets no token, and none that it holds is active.
import type { Agent } from '../domain/agent.ts'
import { actorOf, type CliCaller } from '../domain/caller.ts'
import type { OrRefusal } from '../domain/refusal.ts'
import { isUuid } from '../domain/token-id.ts'
import type { Ports } from '../ports.ts'
import { refuseUnknownAgent } from './show-agent.ts'

/** The agent, disabled now or before. Its live tokens end with the reason `agent_disabled`. */
export const disableAgent = async (
  ports: Pick<Ports, 'agents'>,
  caller: CliCaller,
  agentId: string,
): Promise<OrRefusal<Agent>> => {
  if (!isUuid(agentId)) return refuseUnknownAgent(agentId)
  const act = { kind: 'agent.disable', actor: actorOf(caller), note: null, requestId: null } as const
  return (await ports.agents.disable(agentId, act)) ?? refuseUnknownAgent(agentId)
}
