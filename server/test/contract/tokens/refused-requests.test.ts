// GET /api/v1/usage/refusals over HTTP: what was refused, why, and what changes the limit; what the store makes of it is its own test.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SETTINGS as AGENT_SETTINGS } from '../../../../api/agent-settings.ts'
import { SETTINGS } from '../../../src/config/settings/settings.ts'
import { LIMITS } from '../../../src/domain/refusal-reasons.ts'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { makeFailedAuthentications, makeFailureMemory } from '../../../src/keys/clients/failed-authentications.ts'
import { askToken, get, issue, postForm } from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Refused = Readonly<Record<string, unknown>> & { readonly count: number }
type Answer = { readonly data: readonly Refused[]; readonly limits: readonly Refused[] }

let isAway = false
const service = useService({
  server: {
    failedAuthentications: makeFailedAuthentications({
      perClient: 1,
      perAddress: 1,
      memory: makeFailureMemory(new Uint8Array(32).fill(3)),
      monotonic: () => 1000,
    }),
  },
  break: ports => ({
    ...ports,
    agents: {
      ...ports.agents,
      viewForIssue: (...asked) =>
        isAway ? Promise.reject(new Unavailable('away')) : ports.agents.viewForIssue(...asked),
    },
  }),
})
const reader = service.apiKey('tokens:read')
const limited = service.apiKey('tokens:read', ['https://api.example'])

const ask = (query: string, { key } = reader) => get(service, `/api/v1/usage/refusals${query}`, { 'x-api-key': key })

const refusalsOf = async (query: string): Promise<Answer> => {
  await service.settle()
  const answer = await ask(query)
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.headers['cache-control'], 'no-store')
  return answer.json as Answer
}

test('each request of an agent that is refused is counted once by its reason, and the sum is what the agent was refused', async () => {
  service.clock.advance(2 * 86_400_000)
  const one = await service.createAgent({ name: 'one', tokensPerMinute: 1, resources: ['https://api.example'] })
  const other = await service.createAgent({ name: 'other', tokensPerMinute: 1 })
  for (const agent of [one, other]) await issue(service, agent)
  for (let n = 0; n < 6; n += 1) assert.equal((await askToken(service, other)).status, 429)
  for (let n = 0; n < 4; n += 1) assert.equal((await askToken(service, one)).status, 429)
  for (let n = 0; n < 3; n += 1) await askToken(service, other, { scope: 'no:such' })
  for (let n = 0; n < 2; n += 1) await askToken(service, one, { scope: 'no:such' })
  await askToken(service, one, { resource: 'https://elsewhere.example' })
  await service.settle()
  const last_at = new Date(service.clock.wall()).toISOString()
  const ofLimit = { reason: 'tokens_per_minute', status: 429, settings: ['tokens_per_minute'], last_at }
  const ofScope = { reason: 'invalid_scope', status: 400, settings: [], last_at }
  assert.deepEqual(await refusalsOf('?over=24h'), {
    data: [
      { agent_id: other.agentId, name: 'other', ...ofLimit, count: 6 },
      { agent_id: one.agentId, name: 'one', ...ofLimit, count: 4 },
      { agent_id: other.agentId, name: 'other', ...ofScope, count: 3 },
      { agent_id: one.agentId, name: 'one', ...ofScope, count: 2 },
      { agent_id: one.agentId, name: 'one', ...ofScope, reason: 'invalid_target', count: 1 },
    ],
    limits: [{ ...ofLimit, count: 10 }],
  })
  const usages = await get(service, '/api/v1/usage/agents', { 'x-api-key': reader.key })
  const refused = (usages.json as { data: readonly { agent_id: string; refusals: number }[] }).data
  assert.deepEqual(
    [one, other].map(({ agentId }) => refused.find(({ agent_id: id }) => id === agentId)?.refusals),
    [7, 9],
  )
  const ofOther = await refusalsOf(`?agent_id=${other.agentId}`)
  assert.deepEqual([ofOther.data.map(({ count }) => count), ofOther.limits.map(({ count }) => count)], [[6, 3], [6]])
})

test('what a limit of the service turned away is counted without an agent, with the settings that change it', async () => {
  const other = await service.createAgent()
  await askToken(service, { ...other, clientSecret: 'wrong' })
  for (let n = 0; n < 3; n += 1)
    assert.equal((await askToken(service, { ...other, clientSecret: 'wrong' })).status, 429)
  assert.equal((await postForm(service, '/oauth/token', { scope: 'x'.repeat(20_000) })).status, 413)
  isAway = true
  for (let n = 0; n < 2; n += 1) assert.equal((await askToken(service, other)).status, 503)
  isAway = false
  const { data, limits } = await refusalsOf('?over=1h')
  const own = (reason: string) => limits.find(limit => limit['reason'] === reason)
  assert.deepEqual(
    ['failed_authentications', 'request_too_large', 'temporarily_unavailable'].map(reason => {
      const { last_at: _, ...limit } = own(reason) ?? { last_at: null }
      return limit
    }),
    [
      {
        reason: 'failed_authentications',
        status: 429,
        settings: ['MINTMARK_FAILED_AUTH_PER_CLIENT', 'MINTMARK_FAILED_AUTH_PER_ADDRESS'],
        count: 3,
      },
      { reason: 'request_too_large', status: 413, settings: ['MINTMARK_BODY_BYTES_MAX'], count: 1 },
      { reason: 'temporarily_unavailable', status: 503, settings: [], count: 2 },
    ],
  )
  assert.ok(data.every(row => row['agent_id'] !== null || own(String(row['reason'])) !== undefined))
})

test('over is one of two, a limit from 1 to 1000 is taken, and a key for some audiences sees nothing', async () => {
  assert.equal((await refusalsOf('?limit=1&over=24h')).data.length, 1)
  const none = await refusalsOf('?agent_id=00000000-0000-7000-8000-000000000000')
  assert.deepEqual(none, { data: [], limits: [] })
  for (const query of ['?over=2h', '?limit=0', '?limit=1001', '?agent_id=x', '?cursor=x'])
    assert.equal((await ask(query)).status, 400, query)
  assert.equal((await ask('', limited)).status, 403)
})

test('what changes a limit is a setting of the service or of an agent', () => {
  const known = new Set([...Object.keys(SETTINGS), ...Object.keys(AGENT_SETTINGS)])
  const named = Object.values(LIMITS).flatMap(({ settings }) => settings)
  assert.ok(named.length >= 8)
  assert.deepEqual(
    named.filter(name => !known.has(name)),
    [],
  )
})
