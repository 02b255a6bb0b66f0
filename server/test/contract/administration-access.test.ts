// Who may: each operation on credentials, API keys and leaked secrets against every kind of caller.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { ACCESS, type Access } from '../../src/domain/access.ts'
import { assertClosed, assertOpen, call, type Call } from '../support/administration.ts'
import { assertProblem } from '../support/requests.ts'
import { readRows } from '../support/store-file.ts'
import { type AgentOfTest, startServer, type TestServer } from '../support/test-server.ts'

let service: TestServer
let agent: AgentOfTest
let apiKeyId: string
let credentialId: string

const content = () =>
  ['select id, expires_at, revoked_at from credential', 'select id, expires_at, revoked_at from api_key'].map(sql =>
    readRows(service.storeFile, sql),
  )

before(async () => {
  service = await startServer()
  agent = await service.createAgent()
  apiKeyId = (await service.createApiKey('tokens:read')).id
  credentialId = String(readRows(service.storeFile, 'select id from credential')[0]?.['id'])
})

after(() => service.close())

type Operation = { readonly access: Access; readonly call: () => Call; readonly missing: () => Call }

const credentials = () => `/api/v1/agents/${agent.agentId}/credentials`
const GRACE = { grace_seconds: 60 }

const operations: Readonly<Record<string, Operation>> = {
  'create a credential': {
    access: ACCESS.writeAgents,
    call: () => ({ method: 'POST', path: credentials(), body: { name: 'second' } }),
    missing: () => ({ method: 'POST', path: `/api/v1/agents/${randomUUID()}/credentials`, body: { name: 'second' } }),
  },
  'list credentials': {
    access: ACCESS.readAgents,
    call: () => ({ method: 'GET', path: credentials() }),
    missing: () => ({ method: 'GET', path: `/api/v1/agents/${randomUUID()}/credentials` }),
  },
  'show a credential': {
    access: ACCESS.readAgents,
    call: () => ({ method: 'GET', path: `${credentials()}/${credentialId}` }),
    missing: () => ({ method: 'GET', path: `${credentials()}/${randomUUID()}` }),
  },
  'rotate a credential': {
    access: ACCESS.writeAgents,
    call: () => ({ method: 'POST', path: `${credentials()}/${credentialId}/rotate`, body: GRACE }),
    missing: () => ({ method: 'POST', path: `${credentials()}/${randomUUID()}/rotate`, body: GRACE }),
  },
  'revoke a credential': {
    access: ACCESS.stopAgents,
    call: () => ({ method: 'POST', path: `${credentials()}/${credentialId}/revoke`, body: {} }),
    missing: () => ({ method: 'POST', path: `${credentials()}/nonsense/revoke`, body: {} }),
  },
  'list API keys': {
    access: ACCESS.writeKeys,
    call: () => ({ method: 'GET', path: '/api/v1/api-keys' }),
    missing: () => ({ method: 'GET', path: `/api/v1/api-keys/${randomUUID()}` }),
  },
  'show an API key': {
    access: ACCESS.writeKeys,
    call: () => ({ method: 'GET', path: `/api/v1/api-keys/${apiKeyId}` }),
    missing: () => ({ method: 'GET', path: '/api/v1/api-keys/nonsense' }),
  },
  'create an API key': {
    access: ACCESS.writeKeys,
    call: () => ({ method: 'POST', path: '/api/v1/api-keys', body: { name: 'key', permissions: ['keys:write'] } }),
    missing: () => ({ method: 'GET', path: `/api/v1/api-keys/${agent.agentId}` }),
  },
  'rotate an API key': {
    access: ACCESS.writeKeys,
    call: () => ({ method: 'POST', path: `/api/v1/api-keys/${apiKeyId}/rotate`, body: GRACE }),
    missing: () => ({ method: 'POST', path: `/api/v1/api-keys/${randomUUID()}/rotate`, body: GRACE }),
  },
  'revoke an API key': {
    access: ACCESS.writeKeys,
    call: () => ({ method: 'POST', path: `/api/v1/api-keys/${apiKeyId}/revoke`, body: {} }),
    missing: () => ({ method: 'POST', path: `/api/v1/api-keys/${randomUUID()}/revoke`, body: {} }),
  },
  'report leaked secrets': {
    access: ACCESS.revokeTokens,
    call: () => ({ method: 'POST', path: '/api/v1/leaked-secrets', body: [{ token: agent.clientSecret }] }),
    missing: () => ({ method: 'POST', path: '/api/v1/leaked-secrets', body: [{ token: 'none' }] }),
  },
}

for (const [name, operation] of Object.entries(operations)) {
  test(`${name}: who may not is refused before the request is looked at, and changes nothing`, () =>
    assertClosed(service, operation.access, operation.call(), content))

  test(`${name}: who may gets past the door, to a 404 where there is no such thing`, () =>
    assertOpen(service, operation.access, operation.missing()))
}

test('a path with an id that is malformed or unknown is 404 not_found', async () => {
  const headers = { 'x-api-key': (await service.createApiKey('agents:read')).key }
  const show = (path: string) => call(service, { method: 'GET', path: `/api/v1/agents/${path}` }, headers)
  const other = await service.createAgent()
  const unknown = randomUUID()
  for (const id of ['nonsense', unknown]) {
    const description = `No credential of an agent ${agent.agentId} has the id ${id}.`
    assertProblem(await show(`${agent.agentId}/credentials/${id}`), 404, 'not_found', description)
  }
  assertProblem(await show(`${unknown}/credentials`), 404, 'not_found', `No agent has the id ${unknown}.`)
  assertProblem(await show('nonsense/credentials'), 404, 'not_found', 'No agent has this id: it is no UUID.')
  const description = `No credential of an agent ${other.agentId} has the id ${credentialId}.`
  assertProblem(await show(`${other.agentId}/credentials/${credentialId}`), 404, 'not_found', description)
})

test('another method on these paths is 405 with Allow', async () => {
  const headers = { 'x-api-key': (await service.createApiKey('keys:write')).key }
  const answer = await call(service, { method: 'DELETE', path: `/api/v1/api-keys/${apiKeyId}` }, headers)
  assert.deepEqual([answer.status, answer.headers['allow']], [405, 'GET, HEAD'])
})
