// Refused authentications, and tokens beyond a limit, over HTTP: each is counted, none is a row of its own, and none of the
// audit log.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askToken, basic, bearer, get, introspect, issue, postForm } from '../../../../testkit/callers/requests.ts'
import { askAndReset } from '../../../../testkit/loads/reset-connections.ts'
import { countRows } from '../../../../testkit/stores/store-file.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Count = {
  readonly way: string
  readonly client_id: string | null
  readonly source: string | null
  readonly count: number
}

const service = useService()
const agent = service.agent()
const reader = service.apiKey('audit:read')

/** What was counted since the call before, by a minute of its own. */
const countsOf = async (attempt: () => Promise<unknown>): Promise<readonly Count[]> => {
  await service.settle()
  service.clock.advance(60_000)
  const since = new Date(60_000 * Math.floor(service.clock.wall() / 60_000)).toISOString()
  await attempt()
  await service.settle()
  const answer = await get(service, `/api/v1/audit/refusals?since=${since}`, { 'x-api-key': reader.key })
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as { data: readonly (Count & { minute: string })[] }).data.map(({ minute, ...count }) => {
    assert.equal(minute, since)
    return count
  })
}

const from = '127.0.0.1'
const UNNAMED = { agent_name: null, owner: null }

test('a wrong secret counts under the client, a client that there is not under none, and neither is an entry', async () => {
  const entries = countRows(service.storeFile, 'audit')
  const counts = await countsOf(async () => {
    for (let n = 0; n < 20; n += 1) await askToken(service, { ...agent, clientSecret: `wrong-${n}` })
    await askToken(service, { ...agent, clientId: 'mmc_a-secret-in-the-wrong-field' })
    await postForm(service, '/oauth/token', { grant_type: 'client_credentials' }, basic(agent.clientId, 'wrong'))
  })
  assert.deepEqual(counts, [
    { way: 'client', client_id: null, source: from, count: 1, ...UNNAMED },
    { way: 'client', client_id: agent.clientId, source: from, count: 21, ...UNNAMED },
  ])
  assert.equal(countRows(service.storeFile, 'audit'), entries)
})

test('a disabled agent counts, with its right secret too', async () => {
  const other = await service.createAgent()
  await service.disableAgent(other.agentId)
  assert.deepEqual(await countsOf(() => askToken(service, other)), [
    { way: 'client', client_id: other.clientId, source: from, count: 1, ...UNNAMED },
  ])
})

test('wrong API keys and JWTs count by what they are, wherever they are presented', async () => {
  const counts = await countsOf(async () => {
    await introspect(service, 'mma_wrong', 'x')
    await get(service, '/api/v1/tokens', { 'x-api-key': 'mma_wrong' })
    await get(service, '/api/v1/audit', bearer('not.a.jwt'))
    await postForm(service, '/oauth/revoke', { token: 'x' }, bearer('not.a.jwt'))
    await postForm(service, '/oauth/revoke', { token: 'x' }, basic(agent.clientId, 'wrong'))
  })
  assert.deepEqual(counts.map(({ way, client_id, count }) => `${way} ${client_id} ${count}`).toSorted(), [
    'api_key null 2',
    `client ${agent.clientId} 1`,
    'operator null 2',
  ])
})

test('an agent that asks beyond a limit counts as limit, under its client, and can be asked for', async () => {
  const runaway = await service.createAgent({ tokensPerMinute: 2 })
  const counts = await countsOf(async () => {
    for (let n = 0; n < 7; n += 1) await askToken(service, runaway)
    await askToken(service, { ...runaway, clientSecret: 'wrong' })
  })
  assert.deepEqual(counts.map(({ way, client_id, count }) => `${way} ${client_id} ${count}`).toSorted(), [
    `client ${runaway.clientId} 1`,
    `limit ${runaway.clientId} 5`,
  ])
  const limits = await get(service, '/api/v1/audit/refusals?way=limit', { 'x-api-key': reader.key })
  assert.deepEqual(
    (limits.json as { data: readonly Count[] }).data.map(({ client_id, count }) => [client_id, count]),
    [[runaway.clientId, 5]],
  )
})

test('an address is asked for by any of its spellings', async () => {
  await introspect(service, 'mma_wrong', 'x')
  const countOf = async (source: string): Promise<number> => {
    const { json } = await get(service, `/api/v1/audit/refusals?source=${source}`, { 'x-api-key': reader.key })
    return (json as { data: readonly Count[] }).data.length
  }
  const count = await countOf(from)
  assert.ok(count > 0)
  for (const source of [`::ffff:${from}`, `::FFFF:${from}`]) assert.equal(await countOf(source), count, source)
})

test('what presents nothing, and what is good, counts nothing', async () => {
  const counts = await countsOf(async () => {
    await postForm(service, '/oauth/token', { grant_type: 'client_credentials' })
    await postForm(service, '/oauth/revoke', { token: 'x' })
    await get(service, '/api/v1/tokens')
    await issue(service, agent)
    await askToken(service, agent, { scope: 'no:such' })
  })
  assert.deepEqual(counts, [])
})

const RESETS = 200
const ROUNDS_MAX = 50

test('a caller who resets the connection counts under its address or as unknown, and every other caller is answered', async () => {
  const port = Number(new URL(service.baseUrl).port)
  const seen: Count[] = []
  for (let round = 0; round < ROUNDS_MAX && !seen.some(({ source }) => source === 'unknown'); round += 1) {
    seen.push(...(await countsOf(() => askAndReset(port, RESETS, agent.clientId))))
    await issue(service, agent)
  }
  const sources = new Set(seen.map(({ source }) => source))
  assert.ok(sources.has('unknown'), 'no connection was reset before its address was read')
  sources.delete('unknown')
  sources.delete(from)
  assert.deepEqual([...sources], [])
  assert.ok(seen.every(({ way, client_id }) => way === 'client' && client_id === agent.clientId))
  const unknown = await get(service, '/api/v1/audit/refusals?source=unknown', { 'x-api-key': reader.key })
  assert.ok((unknown.json as { data: readonly Count[] }).data.every(({ source }) => source === 'unknown'))
})
