// The administration of agents as a test calls it: over HTTP, with an API key that may read and write agents.
import assert from 'node:assert/strict'
import type { Permission } from '../../api/values/access.ts'
import { type Answer, get, introspect, sendJson } from './requests.ts'
import type { AgentOfTest, TestServer } from '../services/test-server.ts'

export const AGENTS = '/api/v1/agents'

export type Body = Readonly<Record<string, unknown>>

type Headers = Readonly<Record<string, string>>

export type AgentsApi = {
  readonly writer: Headers
  readonly reader: Headers
  readonly newName: () => string
  /** Calls what stands below `/api/v1/agents`. */
  readonly act: (method: string, path: string, body?: unknown) => Promise<Answer>
  /** An agent that may have `db:*` and any resource unless given otherwise, with the record that creation answered. */
  readonly create: (settings?: Body) => Promise<AgentOfTest & { readonly record: Body }>
  readonly patch: (id: string, change: Body) => Promise<Body>
  readonly show: (id: string) => Promise<Body>
  readonly isActive: (token: string) => Promise<unknown>
  /** What history says of the agent's tokens. */
  readonly ended: (id: string) => Promise<readonly Body[]>
}

export const makeAgentsApi = async (service: TestServer): Promise<AgentsApi> => {
  const keyFor = async (permission: Permission) => (await service.createApiKey(permission)).key
  const writer = { 'x-api-key': await keyFor('agents:write') }
  const reader = { 'x-api-key': await keyFor('agents:read') }
  const lists = { 'x-api-key': await keyFor('tokens:read') }
  const introspector = await keyFor('tokens:introspect')
  let names = 0
  const newName = (): string => {
    names += 1
    return `made ${names}`
  }
  const act: AgentsApi['act'] = (method, path, body) =>
    sendJson(service, method, AGENTS + path, { body, headers: writer })
  return {
    writer,
    reader,
    newName,
    act,
    create: async (settings = {}) => {
      const answer = await act('POST', '', { name: newName(), scope: 'db:*', resources: ['*'], ...settings })
      assert.equal(answer.status, 201, answer.text)
      const { client_secret, ...record } = answer.json as Body
      const [agentId, clientId] = [String(record['agent_id']), String(record['client_id'])]
      return { agentId, clientId, clientSecret: String(client_secret), record }
    },
    patch: async (id, change) => {
      const answer = await act('PATCH', `/${id}`, change)
      assert.equal(answer.status, 200, answer.text)
      return answer.json as Body
    },
    show: async id => (await get(service, `${AGENTS}/${id}`, reader)).json as Body,
    isActive: async token => ((await introspect(service, introspector, token)).json as Body)['active'],
    ended: async id => {
      const { json } = await get(service, `/api/v1/tokens/history?agent_id=${id}`, lists)
      return (json as { data: readonly Body[] }).data
    },
  }
}
