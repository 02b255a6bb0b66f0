// GET /api/v1/audit, over HTTP. What each filter finds is the store's own test.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import { limitKey } from '../../../../testkit/stores/earlier-keys.ts'
import {
  type Answer,
  assertProblem,
  claimsOf,
  get,
  introspect,
  issue,
  revoke,
} from '../../../../testkit/callers/requests.ts'
import { sendManyAndReset } from '../../../../testkit/loads/reset-connections.ts'
import { countRows } from '../../../../testkit/stores/store-file.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const PATHS = ['/api/v1/audit', '/api/v1/audit/refusals']

type Page = { readonly data: readonly Record<string, unknown>[]; readonly next_cursor: string | null }

const service = useService()
const reader = service.apiKey('audit:read')

const list = async (query: string, path = '/api/v1/audit'): Promise<Page> => {
  const answer = await get(service, `${path}?${query}`, { 'x-api-key': reader.key })
  assert.equal(answer.status, 200, answer.text)
  return answer.json as Page
}

test('an act over HTTP is listed with its operator, the address and the request that it came by', async () => {
  const token = await issue(service, await service.createAgent())
  const answer = await revoke(service, token)
  const jti = claimsOf(token)['jti']
  const { data, next_cursor } = await list(`subject=${String(jti)}`)
  assert.equal(next_cursor, null)
  const [{ n, ...entry } = {}, ...others] = data
  assert.deepEqual(others, [])
  assert.ok(Number.isInteger(n))
  assert.deepEqual(entry, {
    at: new Date(service.clock.wall()).toISOString(),
    kind: 'token.revoke',
    actor: { type: 'operator', iss: service.provider.issuer, sub: 'operator-1' },
    source: '127.0.0.1',
    request_id: answer.headers['x-request-id'],
    subject: jti,
    note: null,
    detail: { reason: 'manual_revocation' },
    agent_name: null,
    owner: null,
  })
  const by = `actor_iss=${encodeURIComponent(service.provider.issuer)}&actor_sub=operator-1&actor_type=operator`
  assert.deepEqual((await list(`${by}&request_id=${answer.headers['x-request-id']}&kind=token.revoke`)).data, data)
})

test('ended_token finds the act that ended a token, and no other of its millisecond', async () => {
  const headers = await admin(service)
  const made = [await service.createAgent(), await service.createAgent(), await service.createAgent()]
  const [changed, stopped, other] = made.map(({ agentId }) => `/api/v1/agents/${agentId}`)
  const ids: string[] = []
  for (const agent of made) ids.push(String(claimsOf(await issue(service, agent))['jti']))
  const lived = String(claimsOf(await issue(service, made[0] ?? assert.fail()))['jti'])
  // All in one millisecond: the clock stands still.
  const narrower = { scope: 'db:write', default_scope: null }
  await call(service, { method: 'PATCH', path: changed ?? '', body: narrower }, headers)
  for (const path of [changed, stopped, other])
    await call(service, { method: 'POST', path: `${path}/disable`, body: {} }, headers)
  const ended = async (id: string, more = ''): Promise<readonly unknown[]> =>
    (await list(`ended_token=${id}${more}`)).data.map(({ kind, subject }) => [kind, subject])
  const [first = '', second = '', third = ''] = ids
  const [a, b, c] = made.map(({ agentId }) => agentId)
  assert.deepEqual(await ended(first), [['agent.change', a]])
  assert.deepEqual(await ended(lived), [['agent.change', a]])
  assert.deepEqual(await ended(second.toUpperCase()), [['agent.disable', b]])
  assert.deepEqual(await ended(third), [['agent.disable', c]])
  assert.deepEqual(await ended(third, '&kind=agent.change'), [])
  assert.deepEqual(await ended(third, '&before=2000-01-01T00:00:00.000Z'), [])
  const living = String(claimsOf(await issue(service, await service.createAgent()))['jti'])
  for (const id of [living, '019aa5a0-6f3c-7c1e-9d0f-2b1a7c3e9a10']) assert.deepEqual(await ended(id), [])
})

test('ended_token finds the act on the own credential where one request ended those of several agents', async () => {
  const made = [await service.createAgent(), await service.createAgent()]
  const ids: string[] = []
  for (const agent of made) ids.push(String(claimsOf(await issue(service, agent))['jti']))
  const body = made.map(({ clientSecret }) => ({ token: clientSecret, type: 'mintmark_client_secret' }))
  const reported = await call(service, { method: 'POST', path: '/api/v1/leaked-secrets', body }, await admin(service))
  assert.equal(reported.status, 200, reported.text)
  const found = await Promise.all(ids.map(async id => (await list(`ended_token=${id}`)).data))
  assert.deepEqual(
    found.map(data => data.map(({ detail }) => (detail as { readonly agent_id: string }).agent_id)),
    made.map(({ agentId }) => [agentId]),
  )
})

test('issues and introspections are no entries: the ledger is their record', async () => {
  const agent = await service.createAgent()
  const { key } = await service.createApiKey('tokens:introspect')
  const entries = countRows(service.storeFile, 'audit')
  const token = await issue(service, agent)
  assert.equal((await introspect(service, key, token)).status, 200)
  assert.equal(countRows(service.storeFile, 'audit'), entries)
})

test('an act at the terminal has no address; filters that match nothing give an empty page', async () => {
  const agent = await service.createAgent()
  const { data } = await list(`actor_type=cli&actor_id=tester&subject=${agent.agentId}`)
  assert.deepEqual(
    data.map(({ kind, source, request_id }) => ({ kind, source, request_id })),
    [{ kind: 'agent.create', source: null, request_id: null }],
  )
  for (const query of ['kind=clock.reset', 'subject=nothing', 'before=1970-01-01T00:00:00.000Z']) {
    assert.deepEqual(await list(query), { data: [], next_cursor: null })
  }
})

test('a kind that is not known is named beside the entries, so that an empty page is no false "nobody did"', async () => {
  assert.deepEqual(await list('kind=agent.disabel'), { data: [], next_cursor: null, unknown: ['agent.disabel'] })
})

test('keyset paging: Link rel="next" leads through every entry once, newest first', async () => {
  for (let n = 0; n < 3; n += 1) await service.createAgent()
  const seen: unknown[] = []
  let next: string | undefined = '/api/v1/audit?kind=agent.create&limit=2'
  while (next !== undefined) {
    const answer: Answer = await get(service, next, { 'x-api-key': reader.key })
    seen.push(...(answer.json as Page).data.map(({ n }) => n))
    next = /^<([^>]+)>; rel="next"$/.exec(answer.headers['link'] ?? '')?.[1]?.replace(service.baseUrl, '')
  }
  const all = (await list('kind=agent.create')).data.map(({ n }) => n)
  assert.ok(all.length >= 3)
  assert.deepEqual(seen, all)
})

test('a cursor of another list or of other filters is refused', async () => {
  const { next_cursor } = await list('limit=1')
  assert.ok(next_cursor !== null)
  const description = 'cursor: not one of this list with these filters. Start again without it.'
  for (const query of [
    `/api/v1/audit?cursor=${next_cursor}&kind=agent.create`,
    `/api/v1/audit/refusals?cursor=${next_cursor}`,
    `/api/v1/audit?cursor=${next_cursor.replace(/\d+$/, 'x')}`,
    '/api/v1/audit?cursor=nonsense',
  ]) {
    assertProblem(await get(service, query, { 'x-api-key': reader.key }), 400, 'invalid_request', description)
  }
})

test('a malformed, an empty and an unknown parameter is refused by its name', async () => {
  for (const [path, query, name] of [
    ['/api/v1/audit', 'kind=Agent', 'kind'],
    ['/api/v1/audit', 'actor_type=robot', 'actor_type'],
    ['/api/v1/audit', 'subject=', 'subject'],
    ['/api/v1/audit', `subject=${'x'.repeat(513)}`, 'subject'],
    ['/api/v1/audit', 'request_id=a%20b', 'request_id'],
    ['/api/v1/audit', 'since=yesterday', 'since'],
    ['/api/v1/audit', 'limit=1001', 'limit'],
    ['/api/v1/audit', 'agent_id=x', 'agent_id'],
    ['/api/v1/audit/refusals', 'way=guess', 'way'],
    ['/api/v1/audit/refusals', 'source=somewhere', 'source'],
    ['/api/v1/audit/refusals', 'client_id=%C3%BC', 'client_id'],
    ['/api/v1/audit/refusals', 'kind=agent.create', 'kind'],
  ] as const) {
    const answer = await get(service, `${path}?${query}`, { 'x-api-key': reader.key })
    assert.equal(answer.status, 400, query)
    assert.match((answer.json as { detail: string }).detail, new RegExp(`^${name} is `), query)
  }
})

test('an API key of before that is limited to audiences reads neither, and hears so before its query is looked at', async () => {
  const limited = await service.createApiKey('audit:read')
  limitKey(service.storeFile, limited.id, ['https://a.example'])
  const description = 'This API key is limited to audiences, and may not read the audit log.'
  for (const path of PATHS.flatMap(one => [one, `${one}?surprise=1`])) {
    const answer = await get(service, path, { 'x-api-key': limited.key })
    assertProblem(answer, 403, 'insufficient_scope', description)
  }
})

test('an act whose caller resets the connection has its address or unknown as its source', async () => {
  const { key } = await service.createApiKey('agents:write')
  const port = Number(new URL(service.baseUrl).port)
  const sources = new Set<unknown>()
  for (let round = 0; round < 50 && !sources.has('unknown'); round += 1) {
    await sendManyAndReset(port, 50, {
      path: '/api/v1/agents',
      type: 'application/json',
      headers: { 'x-api-key': key },
      bodyOf: n => JSON.stringify({ name: `reset ${round} ${n}`, scope: 'db:read' }),
    })
    const { data } = await list('kind=agent.create&actor_type=api_key&limit=50')
    for (const { source } of data) sources.add(source)
  }
  assert.ok(sources.has('unknown'), 'no connection was reset before its address was read')
  assert.deepEqual(
    [...sources].filter(source => source !== 'unknown' && source !== '127.0.0.1'),
    [],
  )
})
