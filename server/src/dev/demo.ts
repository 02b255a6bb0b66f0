// In this folder: what `mintmark dev` adds to a service: an identity provider, a demo agent, generated secrets. Not for production.
// The demo agent and its API key, the same at every start.
import type { Origin } from '../domain/caller.ts'
import { PERMISSIONS } from '../../../api/values/access.ts'
import { isRefused, type OrRefusal } from '../domain/refusal.ts'
import { type AgentRequest, type CreatedAgent, createAgent } from '../operations/agents/create-agent.ts'
import { createApiKey } from '../operations/api-keys/api-keys.ts'
import type { Ports } from '../ports/ports.ts'
import { StartRefused } from '../config/start-refused.ts'
import type { DevSecrets } from './dev-secrets.ts'

type DemoPorts = Pick<Ports, 'agents' | 'apiKeys' | 'operators' | 'profile' | 'secrets' | 'randomness'>

type DemoCredentials = {
  readonly agent: NonNullable<DevSecrets['agent']>
  readonly api_key: NonNullable<DevSecrets['api_key']>
}

const demoAgent = (name: string): AgentRequest => ({
  name,
  scopes: ['db:read', 'db:write'],
  defaultScope: ['db:read'],
  resources: ['*'],
})

const orThrow = <T extends object>(answer: OrRefusal<T>): T => {
  if (isRefused(answer)) throw new StartRefused(answer.refusal.description)
  return answer
}

// The name exists already if a start was interrupted before its secrets were written, or if they were deleted.
const createDemoAgent = async (ports: DemoPorts, origin: Origin): Promise<CreatedAgent> => {
  const created = await createAgent(ports, origin, demoAgent('demo'))
  if (!isRefused(created) || created.refusal.code !== 'already_exists') return orThrow(created)
  return orThrow(await createAgent(ports, origin, demoAgent(`demo ${ports.randomness.uuid().slice(0, 8)}`)))
}

const ensureAgent = async (ports: DemoPorts, origin: Origin, kept: DevSecrets): Promise<DemoCredentials['agent']> => {
  if (kept.agent !== null && (await ports.agents.show(kept.agent.agent_id)) !== undefined) return kept.agent
  const { agent, clientSecret } = await createDemoAgent(ports, origin)
  return { agent_id: agent.id, client_id: agent.clientId, client_secret: clientSecret }
}

const ensureApiKey = async (
  ports: DemoPorts,
  origin: Origin,
  kept: DevSecrets,
): Promise<DemoCredentials['api_key']> => {
  if (kept.api_key !== null) {
    const [live] = await ports.apiKeys.find([ports.secrets.hash(kept.api_key.api_key)])
    if (live !== undefined) return kept.api_key
  }
  const request = { name: 'demo', permissions: PERMISSIONS, audiences: null, expiry: null }
  const { apiKey, key } = orThrow(await createApiKey(ports, origin, request))
  return { api_key_id: apiKey.id, api_key: key }
}

/** The agent and key of the secrets in this folder, created again if the store does not have them. */
export const ensureDemo = async (ports: DemoPorts, origin: Origin, kept: DevSecrets): Promise<DemoCredentials> => ({
  agent: await ensureAgent(ports, origin, kept),
  api_key: await ensureApiKey(ports, origin, kept),
})
