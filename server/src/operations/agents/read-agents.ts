// Reads agents: one by its id, or a page of them by name.
import { isUuid } from '../../../../api/values/uuid.ts'
import type { Administrator } from '../../domain/caller.ts'
import type { Agent } from '../../domain/clients/agent.ts'
import type { Delegation } from '../../domain/clients/delegation.ts'
import type { AgentFilters } from '../../domain/lists/page.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { type ListPage, type ListRequest, readKeyedPage } from '../reading/read-page.ts'

/** What is no id is not repeated: it may be a secret that was pasted in its place. */
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

/** Who may act for the agent with this id, and for whom it may act. */
export const showDelegation = async (
  ports: Pick<Ports, 'agents'>,
  _caller: Administrator,
  agentId: string,
): Promise<OrRefusal<Delegation>> => {
  const delegation = isUuid(agentId) ? await ports.agents.delegation(agentId) : undefined
  return delegation ?? refuseUnknownAgent(agentId)
}

/** One page of the agents that pass the filters. */
export const listAgents = (
  ports: Pick<Ports, 'agents' | 'secrets'>,
  _caller: Administrator,
  request: ListRequest<AgentFilters>,
): Promise<OrRefusal<ListPage<Agent>>> => readKeyedPage(ports, 'agents', request, page => ports.agents.list(page))
