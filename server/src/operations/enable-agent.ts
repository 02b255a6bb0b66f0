// Enables a disabled agent: it may ask for tokens again, and none that was ended comes back.
import type { Agent } from '../domain/agent.ts'
import { actorOf, type CliCaller } from '../domain/caller.ts'
import type { OrRefusal } from '../domain/refusal.ts'
import { isUuid } from '../domain/token-id.ts'
import type { Ports } from '../ports.ts'
import { refuseUnknownAgent } from './show-agent.ts'

/** The agent, enabled now or before. */
export const enableAgent = async (
  ports: Pick<Ports, 'agents'>,
  caller: CliCaller,
  agentId: string,
): Promise<OrRefusal<Agent>> => {
  if (!isUuid(agentId)) return refuseUnknownAgent(agentId)
  const act = { kind: 'agent.enable', actor: actorOf(caller), note: null, requestId: null } as const
  return (await ports.agents.enable(agentId, act)) ?? refuseUnknownAgent(agentId)
}
