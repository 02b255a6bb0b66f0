// Stops agents and lets them go on: disabled, enabled, deleted.
import { isUuid } from '../../../../api/values/uuid.ts'
import { actBy, type Origin } from '../../domain/caller.ts'
import type { Switched } from '../../domain/clients/agent.ts'
import type { Counted } from '../../domain/ledger/ends.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { refuseUnknownAgent } from './read-agents.ts'

type AgentPorts = Pick<Ports, 'agents' | 'dryRuns'>

type Stop = {
  readonly note: string | null
  /** Counts what would end, and changes nothing. */
  readonly dryRun: boolean
}

/**
 * The agent, disabled now or before: from the acknowledgement on it gets no token, and none that it holds is active. Its
 * live tokens end with the reason `agent_disabled`.
 */
export const disableAgent = async (
  ports: AgentPorts,
  origin: Origin,
  agentId: string,
  { note, dryRun }: Stop,
): Promise<OrRefusal<Switched | Counted>> => {
  if (!isUuid(agentId)) return refuseUnknownAgent(agentId)
  if (dryRun) {
    const ends = await ports.dryRuns.disableAgent(agentId)
    return ends === 'unknown' ? refuseUnknownAgent(agentId) : { ends }
  }
  return (await ports.agents.disable(agentId, actBy(origin, 'agent.disable', note))) ?? refuseUnknownAgent(agentId)
}

/** The agent, enabled now or before: it may ask for tokens again, and none that was ended comes back. */
export const enableAgent = async (
  ports: Pick<Ports, 'agents'>,
  origin: Origin,
  agentId: string,
  note: string | null,
): Promise<OrRefusal<Switched>> => {
  if (!isUuid(agentId)) return refuseUnknownAgent(agentId)
  return (await ports.agents.enable(agentId, actBy(origin, 'agent.enable', note))) ?? refuseUnknownAgent(agentId)
}

/**
 * Deletes the agent: it gets no token, none that it holds is active (they end with the reason `agent_deleted`), and its
 * name is free. The history still names it. There is no way back.
 */
export const deleteAgent = async (
  ports: AgentPorts,
  origin: Origin,
  agentId: string,
  { note, dryRun }: Stop,
): Promise<OrRefusal<{ readonly agentId: string } | Counted>> => {
  if (!isUuid(agentId)) return refuseUnknownAgent(agentId)
  if (dryRun) {
    const ends = await ports.dryRuns.deleteAgent(agentId)
    return ends === 'unknown' ? refuseUnknownAgent(agentId) : { ends }
  }
  const outcome = await ports.agents.delete(agentId, actBy(origin, 'agent.delete', note))
  return outcome === 'unknown' ? refuseUnknownAgent(agentId) : { agentId }
}
