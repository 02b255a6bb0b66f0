// Registers an agent with its first secret, which is shown this once and kept as its hash.
import { actBy, type Origin } from '../../domain/caller.ts'
import { type Agent, LIFETIMES_MAX } from '../../domain/clients/agent.ts'
import { type AgentChange, applyChange, BLANK_SETTINGS } from '../../domain/clients/change-agent.ts'
import { refuseClaimNames } from '../../domain/clients/claim-names.ts'
import { refuseOperatorsAudience } from '../../domain/clients/issuer-entries.ts'
import { isExisting, refuseRepeat } from '../../domain/idempotency.ts'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { AdministrationPorts, Ports } from '../../ports/ports.ts'

export type AgentRequest = AgentChange & { readonly name: string; readonly scopes: readonly string[] }

export type CreatedAgent = { readonly agent: Agent; readonly clientSecret: string }

/** Why the store would not have an agent so. */
export const refuseAgent = async (
  ports: Pick<Ports, 'agents'>,
  why: 'name_taken' | 'lifetimes_full',
  name: string | undefined,
): Promise<ReturnType<typeof refuse>> => {
  if (why === 'name_taken') {
    return refuse('already_exists', `An agent named ${name} exists already; choose another name.`)
  }
  const inUse = (await ports.agents.lifetimes()).join(', ')
  return refuse(
    'invalid_request',
    `${LIFETIMES_MAX} lifetimes are in use, the most there can be; choose one of ${inUse}.`,
  )
}

/** Creates an agent. Its `client_id` is its id: one identifier fewer to mix up. */
export const createAgent = async (
  ports: Pick<Ports, 'agents' | 'secrets' | 'randomness'> & Pick<AdministrationPorts, 'operators' | 'profile'>,
  origin: Origin,
  request: AgentRequest,
): Promise<OrRefusal<CreatedAgent>> => {
  const settings = applyChange(BLANK_SETTINGS, request)
  if (isRefused(settings)) return settings
  const refused =
    refuseClaimNames(ports.profile.claimNames, request) ?? refuseOperatorsAudience(ports.operators.audiences(), request)
  if (refused !== undefined) return refused
  const id = ports.randomness.uuid()
  const clientSecret = ports.secrets.makeClientSecret()
  const credential = { id: ports.randomness.uuid(), secretHash: ports.secrets.hash(clientSecret) }
  const agent = await ports.agents.create({ id, clientId: id, ...settings, credential }, actBy(origin, 'agent.create'))
  if (typeof agent === 'string') return refuseAgent(ports, agent, request.name)
  if (isRefused(agent)) return agent
  return isExisting(agent) ? refuseRepeat(agent) : { agent, clientSecret }
}
