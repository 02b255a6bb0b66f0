// The limits of an agent over HTTP: how they are set and shown, and what a request beyond them hears.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AgentsApi, type Body, makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import { type Answer, askToken, assertPlainHeaders, get } from '../../../../testkit/callers/requests.ts'
import type { AgentOfTest } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const NONE = { tokens_per_minute: null, tokens_per_day: null, live_tokens_max: null, at_live_tokens_max: 'refuse' }
const ALL = { tokens_per_minute: 600, tokens_per_day: 5000, live_tokens_max: 20, at_live_tokens_max: 'supersede' }

const service = useService()
let api: AgentsApi

service.before(async () => {
  api = await makeAgentsApi(service)
})

const limitsIn = (record: Body): Body => Object.fromEntries(Object.keys(NONE).map(name => [name, record[name]]))

const ask = (agent: AgentOfTest): Promise<Answer> => askToken(service, agent, { scope: 'db:read' })

const tokenIn = (answer: Answer): string => {
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as { access_token: string }).access_token
}

const assertTooMany = (answer: Answer, seconds: number, why: string): void => {
  assert.equal(answer.status, 429, answer.text)
  assert.deepEqual(answer.json, {
    error: 'too_many_requests',
    error_description: `${why} Ask again in ${seconds} s, and use each token until it expires.`,
  })
  assert.equal(answer.headers['retry-after'], String(seconds))
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  assert.deepEqual(answer.challenges, [])
  assertPlainHeaders(answer)
}

const MINUTE = 'This agent has got as many tokens in a minute as it may.'
const DAY = 'This agent has got as many tokens in a day as it may.'
const LIVE = 'This agent has as many live tokens as it may.'

test('limits are set at creation and by a change, shown, listed, and cleared by null', async () => {
  const plain = await api.create()
  assert.deepEqual(limitsIn(plain.record), NONE)
  const { agentId, record } = await api.create(ALL)
  assert.deepEqual(limitsIn(record), ALL)
  assert.deepEqual(await api.show(agentId), record)
  const list = await get(service, `/api/v1/agents?q=${agentId}`, api.reader)
  assert.deepEqual((list.json as { data: readonly Body[] }).data[0], record)
  assert.deepEqual(await api.patch(agentId, { tokens_per_day: 7 }), { ...record, tokens_per_day: 7 })
  const nulls = Object.fromEntries(Object.keys(NONE).map(name => [name, null]))
  assert.deepEqual(await api.patch(agentId, nulls), { ...record, ...NONE })
  assert.deepEqual(await api.patch(plain.agentId, ALL), { ...plain.record, ...ALL })
})

test('the audit has the limits of a new agent, and of a change what they were before and after', async () => {
  const { agentId } = await api.create({ tokens_per_minute: 60 })
  await api.patch(agentId, { tokens_per_minute: null, live_tokens_max: 3 })
  const auditor = { 'x-api-key': (await service.createApiKey('audit:read')).key }
  const { json } = await get(service, `/api/v1/audit?subject=${agentId}`, auditor)
  const [change, creation] = (json as { data: readonly { detail: Record<string, Body> }[] }).data
  assert.equal(creation?.detail['after']?.['tokens_per_minute'], 60)
  assert.deepEqual(change?.detail['before'], { tokens_per_minute: 60, live_tokens_max: null })
  assert.deepEqual(change?.detail['after'], { tokens_per_minute: null, live_tokens_max: 3 })
})

test('above a rate: 429 too_many_requests, and a token when Retry-After has passed', async () => {
  const agent = await api.create({ tokens_per_minute: 2, tokens_per_day: 3 })
  tokenIn(await ask(agent))
  service.clock.advance(5000)
  tokenIn(await ask(agent))
  assertTooMany(await ask(agent), 56, MINUTE)
  service.clock.advance(55_000)
  assertTooMany(await ask(agent), 1, MINUTE)
  service.clock.advance(1000)
  tokenIn(await ask(agent))
  const refused = await ask(agent)
  assertTooMany(refused, Number(refused.headers['retry-after']), DAY)
  assert.ok(Number(refused.headers['retry-after']) > 86_000)
})

test('at the ceiling of live tokens: 429 until the oldest expires, and an end makes room at once', async () => {
  const agent = await api.create({ live_tokens_max: 1, lifetime_seconds: 300 })
  tokenIn(await ask(agent))
  assertTooMany(await ask(agent), 300, LIVE)
  await api.act('POST', `/${agent.agentId}/disable`)
  await api.act('POST', `/${agent.agentId}/enable`)
  tokenIn(await ask(agent))
  assertTooMany(await ask(agent), 300, LIVE)
  service.clock.advance(300_000)
  tokenIn(await ask(agent))
})

test('where the oldest is superseded it is inactive from the answer on, and once in history', async () => {
  const agent = await api.create({ live_tokens_max: 2, at_live_tokens_max: 'supersede' })
  const tokens: string[] = []
  for (let n = 0; n < 5; n += 1) {
    tokens.push(tokenIn(await ask(agent)))
    service.clock.advance(1)
    const alive: readonly unknown[] = await Promise.all(tokens.map(api.isActive))
    assert.deepEqual(
      alive,
      tokens.map((_, m) => m > n - 2),
    )
  }
  const ended = await api.ended(agent.agentId)
  assert.equal(new Set(ended.map(({ id }) => id)).size, 3)
  for (const one of ended) {
    assert.deepEqual([one['termination_reason'], one['ended_by']], ['superseded', { type: 'system' }])
  }
})

test('of many requests at once exactly as many get a token as fit', async () => {
  const agent = await api.create({ tokens_per_minute: 11 })
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask(agent)))
  const count = (status: number) => answers.filter(answer => answer.status === status).length
  assert.deepEqual([count(200), count(429)], [11, 29])
})

test('who is refused for being too fast is counted as just that, and a wrong secret is still 401, counted apart', async () => {
  const agent = await api.create({ tokens_per_minute: 1 })
  tokenIn(await ask(agent))
  assert.equal((await ask(agent)).status, 429)
  assert.equal((await ask({ ...agent, clientSecret: 'wrong' })).status, 401)
  await service.settle()
  const auditor = { 'x-api-key': (await service.createApiKey('audit:read')).key }
  const { json } = await get(service, '/api/v1/audit/refusals', auditor)
  const counts = (json as { data: readonly Body[] }).data.filter(one => one['client_id'] === agent.clientId)
  assert.deepEqual(counts.map(({ way, count }) => `${String(way)} ${String(count)}`).toSorted(), [
    'client 1',
    'limit 1',
  ])
})

test('a limit that is raised or removed lets the next request pass', async () => {
  const agent = await api.create({ tokens_per_minute: 1 })
  tokenIn(await ask(agent))
  assert.equal((await ask(agent)).status, 429)
  await api.patch(agent.agentId, { tokens_per_minute: 2 })
  tokenIn(await ask(agent))
  assert.equal((await ask(agent)).status, 429)
  await api.patch(agent.agentId, { tokens_per_minute: null })
  for (let n = 0; n < 5; n += 1) tokenIn(await ask(agent))
})
