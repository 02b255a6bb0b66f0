// GET /api/v1/status/expiring: what expires soon, soonest first, and nothing that is revoked or of a deleted agent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import { get } from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const DAY_MS = 86_400_000

const service = useService()
const agent = service.agent({ name: 'reports' })
const reader = service.apiKey('tokens:read')

const at = (days: number): string =>
  new Date(service.clock.wall() + days * DAY_MS).toISOString().replace(/\.\d+Z/, '.000Z')

const make = async (path: string, body: object): Promise<Readonly<Record<string, string>>> => {
  const made = await call(service, { method: 'POST', path, body }, await admin(service))
  assert.equal(made.status, 201, made.text)
  return made.json as Readonly<Record<string, string>>
}

const addCredential = async (agentId: string, name: string, days: number): Promise<string> =>
  (await make(`/api/v1/agents/${agentId}/credentials`, { name, expires_at: at(days) }))['credential_id'] ?? ''

test('it lists credentials and API keys that expire within seven days, soonest first', async () => {
  const deleted = await service.createAgent()
  await addCredential(deleted.agentId, 'of a deleted agent', 1)
  await call(service, { method: 'DELETE', path: `/api/v1/agents/${deleted.agentId}` }, await admin(service))
  const revoked = await addCredential(agent.agentId, 'revoked', 1)
  const path = `/api/v1/agents/${agent.agentId}/credentials/${revoked}/revoke`
  assert.equal((await call(service, { method: 'POST', path, body: {} }, await admin(service))).status, 200)
  await addCredential(agent.agentId, 'later', 8.1)
  const week = await addCredential(agent.agentId, 'a week', 8)
  const body = { name: 'orders', permissions: ['tokens:introspect'], expires_at: at(3) }
  const key = (await make('/api/v1/api-keys', body))['api_key_id']
  const soon = await addCredential(agent.agentId, 'soon', 2)
  await addCredential(agent.agentId, 'expired', 1)
  const [inTwoDays, inThree, inEight] = [at(2), at(3), at(8)]
  service.clock.advance(DAY_MS)

  const answer = await get(service, '/api/v1/status/expiring', { 'x-api-key': reader.key })
  const ofAgent = { kind: 'credential', agent_id: agent.agentId, agent_name: 'reports', last_used_at: null }
  assert.deepEqual(answer.json, {
    data: [
      { ...ofAgent, id: soon, name: 'soon', expires_at: inTwoDays },
      {
        kind: 'api_key',
        id: key,
        name: 'orders',
        agent_id: null,
        agent_name: null,
        expires_at: inThree,
        last_used_at: null,
      },
      { ...ofAgent, id: week, name: 'a week', expires_at: inEight },
    ],
  })
})
