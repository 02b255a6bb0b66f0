// Disables an agent: from the acknowledgement on it gets no token, and none that it holds is active.
import type { Agent } from '../../domain/clients/agent.ts'
import { actBy, type Origin } from '../../domain/caller.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import { isUuid } from '../../../../api/values/uuid.ts'
import type { Ports } from '../../ports/ports.ts'
import { refuseNote } from '../check-note.ts'
import { refuseUnknownAgent } from './show-agent.ts'

/** The agent, disabled now or before. Its live tokens end with the reason `agent_disabled`. */
export const disableAgent = async (
  ports: Pick<Ports, 'agents'>,
  origin: Origin,
  agentId: string,
  note: string | null,
): Promise<OrRefusal<Agent>> => {
  const wrong = refuseNote(note)
  if (wrong !== undefined) return wrong
  if (!isUuid(agentId)) return refuseUnknownAgent(agentId)
  return (await ports.agents.disable(agentId, actBy(origin, 'agent.disable', note))) ?? refuseUnknownAgent(agentId)
}
