// Registers an agent with its first secret, which is shown this once and kept as its hash.
import type { Agent } from '../../domain/clients/agent.ts'
import { actBy, type Origin } from '../../domain/caller.ts'
import { applyChange, BLANK_SETTINGS } from '../../domain/clients/change-agent.ts'
import { isExisting, refuseRepeat } from '../../domain/idempotency.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { type AgentFields, parseAgentFields, refuseAgent } from './agent-fields.ts'

export type AgentRequest = AgentFields & Required<Pick<AgentFields, 'name' | 'scope'>>

export type CreatedAgent = { readonly agent: Agent; readonly clientSecret: string }

/** Creates an agent. Its `client_id` is its id: one identifier fewer to mix up. */
export const createAgent = async (
  ports: Pick<Ports, 'agents' | 'secrets' | 'randomness'>,
  origin: Origin,
  request: AgentRequest,
): Promise<OrRefusal<CreatedAgent>> => {
  const fields = parseAgentFields(request)
  if ('refusal' in fields) return fields
  const settings = applyChange(BLANK_SETTINGS, fields)
  if ('refusal' in settings) return settings
  const id = ports.randomness.uuid()
  const clientSecret = ports.secrets.makeClientSecret()
  const credential = { id: ports.randomness.uuid(), secretHash: ports.secrets.hash(clientSecret) }
  const agent = await ports.agents.create({ id, clientId: id, ...settings, credential }, actBy(origin, 'agent.create'))
  if (typeof agent === 'string') return refuseAgent(ports, agent, request)
  return isExisting(agent) ? refuseRepeat(agent) : { agent, clientSecret }
}
