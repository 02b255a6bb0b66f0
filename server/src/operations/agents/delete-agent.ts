// Deletes an agent: it gets no token, none that it holds is active, and its name is free. History still names it.
import { actBy, type Origin } from '../../domain/caller.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import { isUuid } from '../../../../api/values/uuid.ts'
import type { Ports } from '../../ports/ports.ts'
import { refuseUnknownAgent } from './show-agent.ts'

/** Its live tokens end with the reason `agent_deleted`, from the acknowledgement on. There is no way back. */
export const deleteAgent = async (
  ports: Pick<Ports, 'agents'>,
  origin: Origin,
  agentId: string,
): Promise<OrRefusal<{ readonly agentId: string }>> => {
  if (!isUuid(agentId)) return refuseUnknownAgent(agentId)
  const outcome = await ports.agents.delete(agentId, actBy(origin, 'agent.delete'))
  return outcome === 'unknown' ? refuseUnknownAgent(agentId) : { agentId }
}
