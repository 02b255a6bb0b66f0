// Registers agents and API keys at a service of a test, without its wire.
import type { Permission } from '../../api/values/access.ts'
import { parseScope, parseScopePatterns } from '../../api/values/scope.ts'
import type { Origin } from '../../server/src/domain/caller.ts'
import type { AgentChange } from '../../server/src/domain/clients/change-agent.ts'
import { disableAgent, enableAgent } from '../../server/src/operations/agents/agent-states.ts'
import { createAgent } from '../../server/src/operations/agents/create-agent.ts'
import { createApiKey, revokeApiKey } from '../../server/src/operations/api-keys/api-keys.ts'
import type { Ports } from '../../server/src/ports/ports.ts'

const CLI: Origin = { caller: { kind: 'cli', user: 'tester' }, requestId: null, source: null }

export type AgentOfTest = { readonly agentId: string; readonly clientId: string; readonly clientSecret: string }

/** Settings of an agent, with its scopes as a body has them. */
export type AgentOfTestRequest = Omit<AgentChange, 'scopes' | 'defaultScope'> & {
  readonly scope?: string
  readonly defaultScope?: string | null
}

export type Registrations = {
  /** Creates an agent: by default one that may have `db:*` and any resource, with `db:read` as its default scope. */
  readonly createAgent: (request?: AgentOfTestRequest) => Promise<AgentOfTest>
  readonly createApiKey: (permission: Permission, audiences?: readonly string[]) => Promise<{ id: string; key: string }>
  readonly revokeApiKey: (id: string) => Promise<unknown>
  readonly disableAgent: (id: string) => Promise<unknown>
  readonly enableAgent: (id: string) => Promise<unknown>
}

const taken = <T extends object>(answer: T): Exclude<T, { refusal: unknown }> => {
  if ('refusal' in answer) throw new Error(JSON.stringify(answer))
  return answer as Exclude<T, { refusal: unknown }>
}

export const makeRegistrations = (
  ports: Pick<Ports, 'agents' | 'dryRuns' | 'apiKeys' | 'operators' | 'profile' | 'secrets' | 'randomness'>,
): Registrations => {
  let agents = 0
  return {
    createAgent: async (request = {}) => {
      agents += 1
      const { name = `agent ${agents}`, scope = 'db:*', defaultScope = 'db:read', ...rest } = request
      const scopes = parseScopePatterns(scope) ?? []
      const fallback = defaultScope === null ? null : (parseScope(defaultScope) ?? null)
      const wanted = { name, resources: ['*'], ...rest, scopes, defaultScope: fallback }
      const { agent, clientSecret } = taken(await createAgent(ports, CLI, wanted))
      return { agentId: agent.id, clientId: agent.clientId, clientSecret }
    },
    createApiKey: async (permission, audiences) => {
      const request = { name: permission, permissions: [permission], audiences: audiences ?? null, expiry: null }
      const { apiKey, key } = taken(await createApiKey(ports, CLI, request))
      return { id: apiKey.id, key }
    },
    revokeApiKey: id => revokeApiKey(ports, CLI, id, null),
    disableAgent: id => disableAgent(ports, CLI, id, { note: null, dryRun: false }),
    enableAgent: id => enableAgent(ports, CLI, id, null),
  }
}
