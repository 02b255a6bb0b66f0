// Stops agents and lets them go on: disabled, enabled, deleted.
import { isUuid } from '../../../../api/values/uuid.ts'
import { actBy, type Origin } from '../../domain/caller.ts'
import type { Agent } from '../../domain/clients/agent.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { refuseUnknownAgent } from './read-agents.ts'

type AgentPorts = Pick<Ports, 'agents'>

const setState =
  (change: 'disable' | 'enable') =>
  async (ports: AgentPorts, origin: Origin, agentId: string, note: string | null): Promise<OrRefusal<Agent>> => {
    if (!isUuid(agentId)) return refuseUnknownAgent(agentId)
    return (await ports.agents[change](agentId, actBy(origin, `agent.${change}`, note))) ?? refuseUnknownAgent(agentId)
  }

/**
 * The agent, disabled now or before: from the acknowledgement on it gets no token, and none that it holds is active. Its
 * live tokens end with the reason `agent_disabled`.
 */
export const disableAgent = setState('disable')

/** The agent, enabled now or before: it may ask for tokens again, and none that was ended comes back. */
export const enableAgent = setState('enable')

/**
 * Deletes the agent: it gets no token, none that it holds is active (they end with the reason `agent_deleted`), and its
 * name is free. The history still names it. There is no way back.
 */
export const deleteAgent = async (
  ports: AgentPorts,
  origin: Origin,
  agentId: string,
  note: string | null,
): Promise<OrRefusal<{ readonly agentId: string }>> => {
  if (!isUuid(agentId)) return refuseUnknownAgent(agentId)
  const outcome = await ports.agents.delete(agentId, actBy(origin, 'agent.delete', note))
  return outcome === 'unknown' ? refuseUnknownAgent(agentId) : { agentId }
}
