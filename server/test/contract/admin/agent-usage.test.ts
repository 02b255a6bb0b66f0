// GET /api/v1/usage/agents over HTTP: what agents got and were refused; what the store makes of it is its own test.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askToken, get, issue } from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Usage = Readonly<Record<string, unknown>> & { readonly agent_id: string; readonly refusals: number }

const service = useService()
const agent = service.agent()
const reader = service.apiKey('tokens:read')
const limited = service.apiKey('tokens:read', ['https://api.example'])

let limit = 10

/** More agents are asked for each time: an answer that is given again is for no more than it was read for. */
const usages = async (): Promise<readonly Usage[]> => {
  await service.settle()
  limit += 1
  const answer = await get(service, `/api/v1/usage/agents?limit=${limit}`, { 'x-api-key': reader.key })
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.headers['cache-control'], 'no-store')
  return (answer.json as { data: readonly Usage[] }).data
}

const usageOf = async (agentId: string): Promise<Usage | undefined> =>
  (await usages()).find(({ agent_id: id }) => id === agentId)

test('the agent that gets the most tokens comes first, with what it got and holds', async () => {
  const runaway = await service.createAgent({ name: 'runaway', owner: 'Ada' })
  await issue(service, agent)
  for (let n = 0; n < 5; n += 1) await issue(service, runaway)
  assert.deepEqual((await usages())[0], {
    agent_id: runaway.agentId,
    name: 'runaway',
    owner: 'Ada',
    state: 'active',
    tokens_last_minute: 5,
    tokens_last_hour: 5,
    tokens_last_day: 5,
    live_tokens: { count: 5, exact: true },
    refusals: 0,
    last_issued_at: new Date(service.clock.wall()).toISOString(),
    last_used_at: new Date(service.clock.wall()).toISOString(),
  })
  const each = await get(service, `/api/v1/usage/agents?agent_id=${runaway.agentId}`, { 'x-api-key': reader.key })
  const { data } = each.json as { data: readonly Usage[] }
  assert.deepEqual(
    data.map(({ agent_id: id }) => id),
    [runaway.agentId],
  )
})

test('what an authenticated agent is refused is counted: scope, resource, grant, limit, proof, and being disabled', async () => {
  const other = await service.createAgent({ tokensPerMinute: 1, resources: ['https://api.example'] })
  const refusals = async () => (await usageOf(other.agentId))?.refusals
  await askToken(service, other, { scope: 'no:such' })
  assert.equal(await refusals(), 1)
  await askToken(service, other, { resource: 'https://elsewhere.example' })
  assert.equal(await refusals(), 2)
  await askToken(service, other, { grant_type: 'password' })
  assert.equal(await refusals(), 3)
  await issue(service, other)
  assert.equal((await askToken(service, other)).status, 429)
  assert.equal(await refusals(), 4)
  await service.disableAgent(other.agentId)
  assert.equal((await askToken(service, other)).status, 401)
  assert.equal(await refusals(), 5)
  assert.equal((await usageOf(other.agentId))?.['state'], 'disabled')
})

test('nobody who is not authenticated moves the numbers of an agent', async () => {
  const other = await service.createAgent()
  await askToken(service, { ...other, clientSecret: 'wrong' })
  await askToken(service, { ...other, clientSecret: 'wrong' }, { scope: 'no:such' })
  await service.disableAgent(other.agentId)
  await askToken(service, { ...other, clientSecret: 'wrong' })
  assert.equal(await usageOf(other.agentId), undefined)
})

test('a limit from 1 to 1000 is taken, and nothing else; a key for some audiences sees nothing', async () => {
  const ask = (query: string, { key } = reader) => get(service, `/api/v1/usage/agents${query}`, { 'x-api-key': key })
  const first = await ask('?limit=1')
  assert.equal((first.json as { data: readonly unknown[] }).data.length, 1)
  assert.equal((await ask('?limit=1000')).status, 200)
  for (const query of ['?limit=0', '?limit=1001', '?limit=-1', '?limit=x', '?cursor=x']) {
    assert.equal((await ask(query)).status, 400, query)
  }
  assert.equal((await ask('', limited)).status, 403)
})

test('the status contains what all agents got and were refused, and failed authentications', async () => {
  const ask = async () => {
    await service.settle()
    return (await get(service, '/api/v1/status', { 'x-api-key': reader.key })).json as Readonly<Record<string, unknown>>
  }
  service.clock.advance(2 * 24 * 3_600_000)
  const other = await service.createAgent()
  await issue(service, other)
  await issue(service, agent)
  await askToken(service, other, { scope: 'no:such' })
  await askToken(service, { ...other, clientSecret: 'wrong' })
  const status = await ask()
  assert.equal(status['at'], new Date(service.clock.wall()).toISOString())
  const names = ['tokens_last_minute', 'tokens_last_hour', 'tokens_last_day', 'refusals', 'failed_authentications']
  assert.deepEqual(
    names.map(name => status[name]),
    [2, 2, 2, 1, 1],
  )
  assert.deepEqual([status['agents'], status['agents_disabled'], status['live_tokens']], [5, 2, 2])
})
