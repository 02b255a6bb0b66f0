// Enables a disabled agent: it may ask for tokens again, and none that was ended comes back.
import type { Agent } from '../../domain/clients/agent.ts'
import { actBy, type Origin } from '../../domain/caller.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import { isUuid } from '../../../../api/values/uuid.ts'
import type { Ports } from '../../ports/ports.ts'
import { refuseNote } from '../check-note.ts'
import { refuseUnknownAgent } from './show-agent.ts'

/** The agent, enabled now or before. */
export const enableAgent = async (
  ports: Pick<Ports, 'agents'>,
  origin: Origin,
  agentId: string,
  note: string | null,
): Promise<OrRefusal<Agent>> => {
  const wrong = refuseNote(note)
  if (wrong !== undefined) return wrong
  if (!isUuid(agentId)) return refuseUnknownAgent(agentId)
  return (await ports.agents.enable(agentId, actBy(origin, 'agent.enable', note))) ?? refuseUnknownAgent(agentId)
}
