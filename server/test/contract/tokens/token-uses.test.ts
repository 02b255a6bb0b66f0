// GET /api/v1/usage: introspections, and uses that followers report, by agent, API key and minute.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import { FEED, readHead } from '../../../../testkit/feed/feed-client.ts'
import { assertPlainHeaders, get, introspect, issue, postJson, revoke } from '../../../../testkit/callers/requests.ts'
import { AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import { PAIRS_A_MINUTE_MAX } from '../../../../api/values/usage.ts'

type Fields = Readonly<Record<string, unknown>>
type Page = { readonly data: readonly Fields[]; readonly next_cursor: string | null }

const OTHER = 'https://other.example'

const service = useService()
const agent = service.agent()
const orders = service.apiKey('tokens:introspect')
const billing = service.apiKey('tokens:introspect')
const reader = service.apiKey('tokens:read')

/** Limited to the audience of the tokens of this test. */
let narrow: { readonly id: string; readonly key: string }

service.before(async () => {
  const body = { name: 'narrow', permissions: ['tokens:introspect', 'tokens:read'], audiences: [AUDIENCE] }
  const made = await call(service, { method: 'POST', path: '/api/v1/api-keys', body }, await admin(service))
  const { api_key_id: id, api_key: key } = made.json as { api_key_id: string; api_key: string }
  narrow = { id, key }
})

// Each test has a minute of its own.
beforeEach(() => service.clock.advance(120_000))

const time = (ms = service.clock.wall()): string => new Date(ms).toISOString()
const minute = (): string => time(60_000 * Math.floor(service.clock.wall() / 60_000))

const pageOf = async (query: string, key = reader.key): Promise<Page> => {
  await service.settle()
  const answer = await get(service, `/api/v1/usage${query}`, { 'x-api-key': key })
  assert.equal(answer.status, 200, answer.text)
  assertPlainHeaders(answer)
  return answer.json as Page
}

/** Of the minute of this test. */
const list = async (query = '', key = reader.key): Promise<readonly Fields[]> =>
  (await pageOf(`?since=${minute()}${query}`, key)).data

const ask = async (token: string, key = orders.key): Promise<unknown> =>
  ((await introspect(service, key, token)).json as Fields)['active']

test('introspections are counted by agent and API key, with when they were first and last', async () => {
  const token = await issue(service, agent)
  const first = service.clock.wall()
  for (let n = 0; n < 3; n += 1) assert.equal(await ask(token), true)
  await service.settle()
  service.clock.advance(1500)
  assert.equal(await ask(token), true)
  assert.equal(await ask(token, billing.key), true)
  const rows = await list()
  const row = rows.find(({ api_key_id: id }) => id === orders.id)
  const { first_used_at: from, last_used_at: to, ...rest } = row ?? {}
  assert.deepEqual(rest, {
    minute: minute(),
    agent_id: agent.agentId,
    agent_name: null,
    owner: null,
    api_key_id: orders.id,
    api_key_name: 'tokens:introspect',
    outside_audiences: false,
    introspections: 4,
    active: 4,
    after_end: 0,
    uses: 0,
  })
  // By the machine's monotonic time before the store's clock.
  const [began, ended] = [Date.parse(String(from)), Date.parse(String(to))]
  assert.ok(began <= first && began > first - 60_000, `${String(from)} by ${time(first)}`)
  assert.ok(ended > began && ended <= service.clock.wall(), String(to))
  assert.deepEqual(
    rows.map(one => [one['api_key_id'], one['introspections']]).toSorted(([, a], [, b]) => Number(b) - Number(a)),
    [
      [orders.id, 4],
      [billing.id, 1],
    ],
  )
})

test('texts that are no token of ours are one row of their API key, however many there are', async () => {
  const token = await issue(service, agent)
  const [header = '', payload = '', signature = ''] = token.split('.')
  const withId = (id: string): string => {
    const claims = Buffer.from(payload, 'base64url').toString()
    return `${header}.${Buffer.from(claims.replace(/"jti":"[^"]+"/, `"jti":"${id}"`)).toString('base64url')}.${signature}`
  }
  const { jti } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { jti: string }
  // None of them is the token's own id: their fourth digit from the end is another.
  const other = jti.at(-4) === '5' ? 'a' : '5'
  const unknown = Array.from({ length: 300 }, (_, n) =>
    withId(jti.slice(0, -4) + other + n.toString(16).padStart(3, '0')),
  )
  const texts = ['opaque', '\u0000', ...unknown, token.replace(/[^.]+$/, text => text.replace(/^.{8}/, 'AAAAAAAA'))]
  assert.deepEqual(new Set(await Promise.all(texts.map(text => ask(text)))), new Set([false]))
  const rows = await list()
  assert.deepEqual(
    rows.map(one => [one['agent_id'], one['api_key_id'], one['introspections'], one['active'], one['after_end']]),
    [[null, orders.id, texts.length, 0, 0]],
  )
  assert.deepEqual((await get(service, '/api/v1/usage/after-end', { 'x-api-key': reader.key })).json, {
    data: [],
    next_cursor: null,
  })
})

test('a minute has rows for 100 pairs, and one for all others', async () => {
  const token = await issue(service, agent)
  const keys = await Promise.all(
    Array.from({ length: PAIRS_A_MINUTE_MAX + 20 }, () => service.createApiKey('tokens:introspect')),
  )
  for (const { key } of keys) assert.equal(await ask(token, key), true)
  // What is there already goes on.
  await service.settle()
  for (const { key } of keys) assert.equal(await ask(token, key), true)
  const rows = await list('&limit=1000')
  assert.equal(rows.length, PAIRS_A_MINUTE_MAX + 1)
  const others = rows.filter(({ api_key_id: id }) => id === null)
  assert.deepEqual(
    others.map(one => [one['agent_id'], one['api_key_name'], one['introspections']]),
    [[null, null, 40]],
  )
  assert.deepEqual(new Set(rows.map(one => one['introspections'])), new Set([2, 40]))
})

test('filters name an agent, an API key and a time; pages follow each other without a gap', async () => {
  const [one, two] = [await service.createAgent(), await service.createAgent()]
  for (const own of [one, two]) {
    const token = await issue(service, own)
    for (const { key } of [orders, billing]) await ask(token, key)
  }
  const pairs = async (query: string) =>
    new Set((await list(query)).map(row => `${String(row['agent_id'])} ${String(row['api_key_id'])}`))
  const pair = (own: { agentId: string }, key: { id: string }): string => `${own.agentId} ${key.id}`
  assert.deepEqual(await pairs(`&agent_id=${one.agentId}`), new Set([pair(one, orders), pair(one, billing)]))
  assert.deepEqual(await pairs(`&api_key_id=${orders.id}`), new Set([pair(one, orders), pair(two, orders)]))
  assert.deepEqual(await pairs(`&agent_id=${two.agentId}&api_key_id=${billing.id}`), new Set([pair(two, billing)]))
  assert.deepEqual(await pairs(`&before=${minute()}`), new Set())
  for (const [name, id] of [
    ['agent_id', orders.id],
    ['api_key_id', one.agentId],
  ]) {
    assert.deepEqual(await pairs(`&${String(name)}=${String(id)}`), new Set(), 'nothing has this id')
  }
  const seen: unknown[] = []
  for (let cursor = ''; ; ) {
    const page = await pageOf(`?since=${minute()}&limit=1${cursor}`)
    seen.push(...page.data.map(row => `${String(row['agent_id'])} ${String(row['api_key_id'])}`))
    if (page.next_cursor === null) break
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
  assert.equal(seen.length, 4)
  assert.deepEqual(new Set(seen), await pairs(''))
  for (const query of ['?agent_id=x', '?limit=0', '?since=x', '?cursor=x', '?token_id=x']) {
    assert.equal((await get(service, `/api/v1/usage${query}`, { 'x-api-key': reader.key })).status, 400, query)
  }
})

test('a token for other audiences than those of the API key counts apart, and no limited key sees it', async () => {
  const own = await issue(service, agent)
  const other = await issue(service, agent, { resource: OTHER })
  assert.equal(await ask(own, narrow.key), true)
  assert.equal(await ask(own), true)
  assert.equal(await ask(other, narrow.key), false)
  const shown = (rows: readonly Fields[]) =>
    rows
      .filter(row => row['api_key_id'] === narrow.id || rows.length < 3)
      .map(row => [row['agent_id'], row['api_key_id'], row['outside_audiences'], row['introspections'], row['active']])
      .toSorted((a, b) => Number(a[2]) - Number(b[2]))
  assert.deepEqual(shown(await list()), [
    [agent.agentId, narrow.id, false, 1, 1],
    [agent.agentId, narrow.id, true, 1, 0],
  ])
  const narrowed = [[agent.agentId, narrow.id, false, 1, 1]]
  assert.deepEqual(shown(await list('', narrow.key)), narrowed)
  assert.deepEqual(shown(await list(`&agent_id=${agent.agentId}`, narrow.key)), narrowed)
  assert.deepEqual(await list(`&api_key_id=${orders.id}`, narrow.key), [])
})

test('what followers of the feed say they used is counted from their first report on, once each', async () => {
  const { epoch, position } = await readHead(service, orders.key)
  const report = async (name: string, count: number, key = orders.key): Promise<void> => {
    const body = { name, epoch, position, uses: [{ agent_id: agent.agentId, count }] }
    assert.equal((await postJson(service, `${FEED}/positions`, body, { 'x-api-key': key })).status, 204)
    await service.settle()
  }
  const uses = async () => (await list()).map(row => [row['api_key_id'], row['uses'], row['introspections']])
  await report('orders-1', 1000)
  assert.deepEqual(await uses(), [], 'who was forgotten and is back brings nothing old')
  await report('orders-1', 1007)
  await report('orders-1', 1007)
  assert.deepEqual(await uses(), [[orders.id, 7, 0]])
  await report('orders-1', 1005)
  await report('orders-1', 1008)
  assert.deepEqual(await uses(), [[orders.id, 8, 0]], 'one that was overtaken adds nothing')
  await report('orders-1', 3)
  await report('orders-1', 5)
  assert.deepEqual(await uses(), [[orders.id, 13, 0]], 'it began again')
  await report('orders-2', 0)
  await report('orders-2', Number.MAX_SAFE_INTEGER)
  const [[, counted] = []] = await uses()
  assert.equal(counted, 13 + 1e9, 'one report adds no more')
})

test('an API key that was revoked meanwhile, and an agent that was deleted, keep their rows', async () => {
  const [key, own] = [await service.createApiKey('tokens:introspect'), await service.createAgent()]
  const token = await issue(service, own)
  await ask(token, key.key)
  await revoke(service, token)
  await service.disableAgent(own.agentId)
  await service.revokeApiKey(key.id)
  const rows = await list(`&api_key_id=${key.id}`)
  assert.deepEqual(
    rows.map(row => [row['agent_id'], row['api_key_name'], row['introspections']]),
    [[own.agentId, 'tokens:introspect', 1]],
  )
})
