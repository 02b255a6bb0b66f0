// GET /api/v1/tokens: the active tokens, over HTTP. What each filter finds is the store's own test.
import { lineageOfRoot } from '../../../../testkit/services/lineage-members.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Answer,
  assertPlainHeaders,
  assertProblem,
  basic,
  bearer,
  claimsOf,
  get,
  issue,
  revoke,
  send,
} from '../../../../testkit/callers/requests.ts'
import { AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const PATH = '/api/v1/tokens'
const CREDENTIAL_WANTED = 'Send an API key in X-API-Key, or a JWT of the identity provider as a Bearer token.'
const CURSOR_REFUSED = 'cursor: not one of this list with these filters. Start again without it.'

type Page = { readonly data: readonly Record<string, unknown>[]; readonly next_cursor: string | null }

const service = useService()
const agent = service.agent()
const reader = service.apiKey('tokens:read')

const list = (query = '', headers: Record<string, string> = { 'x-api-key': reader.key }): Promise<Answer> =>
  get(service, PATH + query, headers)

const pageOf = async (query: string): Promise<Page> => {
  const answer = await list(query)
  assert.equal(answer.status, 200, answer.text)
  return answer.json as Page
}

const idsOf = ({ data }: Page): readonly unknown[] => data.map(({ id }) => id)

const idOf = (token: string): unknown => claimsOf(token)['jti']

const timeOf = (seconds: unknown): string => new Date(1000 * Number(seconds)).toISOString()

test('a record: id, agent_id, client_id, credential_id, scope, audience, kid, issued_at, expires_at', async () => {
  const token = await issue(service, agent)
  const { iat, exp } = claimsOf(token)
  const answer = await list(`?agent_id=${agent.agentId}&limit=1`)
  const { data, next_cursor } = answer.json as Page
  const [{ credential_id, kid, ...rest } = {}] = data
  assert.equal(answer.status, 200)
  assert.equal(next_cursor, null)
  assert.match(String(credential_id), /^[0-9a-f-]{36}$/)
  assert.match(String(kid), /^[A-Za-z0-9_-]{43}$/)
  assert.deepEqual(rest, {
    id: idOf(token),
    agent_id: agent.agentId,
    client_id: agent.clientId,
    scope: 'db:read',
    audience: [AUDIENCE],
    ...lineageOfRoot(idOf(token), agent.agentId),
    issued_at: timeOf(iat),
    expires_at: timeOf(exp),
  })
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(answer.headers['link'], undefined)
  assertPlainHeaders(answer)
})

test('tokens: the active ones; a revoked or expired token is in history at once, and in one list only', async () => {
  const other = await service.createAgent({ lifetimeSeconds: 60 })
  const [revoked, expired] = [await issue(service, other), await issue(service, other)]
  const query = `?agent_id=${other.agentId}`
  assert.deepEqual(new Set(idsOf(await pageOf(query))), new Set([idOf(revoked), idOf(expired)]))
  await revoke(service, revoked)
  assert.deepEqual(idsOf(await pageOf(query)), [idOf(expired)])
  service.clock.advance(1000 * Number(claimsOf(expired)['exp']) - service.clock.wall())
  assert.deepEqual(await pageOf(query), { data: [], next_cursor: null })
  const history = await pageOf(`/history${query}`)
  assert.deepEqual(new Set(idsOf(history)), new Set([idOf(revoked), idOf(expired)]))
})

test('none, or a wrong key: 401 invalid_client with challenges ApiKey and Bearer', async () => {
  const realm = `realm="${service.baseUrl}"`
  const refusals: [Record<string, string>, string][] = [
    [{}, CREDENTIAL_WANTED],
    [{ 'x-api-key': '' }, CREDENTIAL_WANTED],
    [basic('x', reader.key), CREDENTIAL_WANTED],
    [{ 'x-api-key': 'wrong' }, 'The API key is unknown, revoked or expired.'],
  ]
  for (const [headers, description] of refusals) {
    // Also where the query would be refused: an unknown caller learns nothing else.
    for (const query of ['', '?limit=0', '?nonsense=1']) {
      const answer = await list(query, headers)
      assertProblem(answer, 401, 'invalid_client', description)
      assert.deepEqual(answer.challenges, [`ApiKey ${realm}`, `Bearer ${realm}`])
    }
  }
})

test('a bad JWT: 401 invalid_token', async () => {
  const description = 'The bearer token is not a valid JWT of a configured identity provider for this service.'
  for (const jwt of ['nonsense', await issue(service, agent)]) {
    const answer = await list('', bearer(jwt))
    assertProblem(answer, 401, 'invalid_token', description)
    assert.deepEqual(answer.challenges, [`Bearer realm="${service.baseUrl}", error="invalid_token"`])
  }
})

test('both at once: 400 invalid_request', async () => {
  const both = { 'x-api-key': reader.key, ...bearer(await service.provider.operatorJwt()) }
  const description = 'The request authenticates itself by X-API-Key and by Authorization: choose one.'
  assertProblem(await list('', both), 400, 'invalid_request', description)
})

test("an identity provider's JWT with at least the viewer role reads; without one 403 insufficient_scope", async () => {
  for (const role of ['mintmark-viewer', 'mintmark-operator', 'mintmark-admin']) {
    assert.equal((await list('', bearer(await service.provider.operatorJwt({ role })))).status, 200)
  }
  const answer = await list('', bearer(await service.provider.operatorJwt({ role: 'nobody' })))
  const description = 'The subject of this JWT has no role that may read tokens: it needs viewer, operator or admin.'
  assertProblem(answer, 403, 'insufficient_scope', description)
  assert.deepEqual(answer.challenges, [`Bearer realm="${service.baseUrl}", error="insufficient_scope"`])
})

test('an API key without the permission tokens:read: 403 insufficient_scope', async () => {
  const { key } = await service.createApiKey('tokens:introspect')
  const description = 'This API key lacks the permission tokens:read.'
  assertProblem(await list('', { 'x-api-key': key }), 403, 'insufficient_scope', description)
})

test('an API key limited to audiences sees only its own', async () => {
  const { key } = await service.createApiKey('tokens:read', ['https://one.example'])
  const own = await issue(service, agent, { resource: 'https://one.example' })
  await issue(service, agent, { resource: 'https://two.example' })
  const answer = await list('', { 'x-api-key': key })
  assert.deepEqual(idsOf(answer.json as Page), [idOf(own)])
})

test('keyset paging: newest first, Link rel="next" keeps the filters and is never derived from Host', async () => {
  const other = await service.createAgent()
  const tokens: string[] = []
  for (let n = 0; n < 5; n += 1) {
    service.clock.advance(1000)
    tokens.unshift(await issue(service, other))
  }
  const seen: unknown[] = []
  let next: string | undefined = `${PATH}?agent_id=${other.agentId}&limit=2&scope=db%3Aread`
  let pages = 0
  while (next !== undefined) {
    const answer: Answer = await get(service, next, { 'x-api-key': reader.key, host: 'evil.example' })
    const page = answer.json as Page
    seen.push(...idsOf(page))
    pages += 1
    const link = /^<([^>]+)>; rel="next"$/.exec(answer.headers['link'] ?? '')?.[1]
    const address: URL | undefined = link === undefined ? undefined : new URL(link)
    assert.equal(address?.searchParams.get('cursor') ?? null, page.next_cursor)
    if (address !== undefined) {
      assert.equal(address.origin, service.baseUrl)
      assert.equal(address.searchParams.get('scope'), 'db:read')
    }
    next = address === undefined ? undefined : address.pathname + address.search
  }
  assert.deepEqual(seen, tokens.map(idOf))
  assert.equal(pages, 3)
})

test('a cursor is bound to its filters, with others it is 400; limit may change', async () => {
  const { next_cursor: cursor } = await pageOf('?limit=1&scope=db:read')
  assert.ok(cursor !== null)
  assert.equal((await list(`?limit=2&scope=db:read&cursor=${cursor}`)).status, 200)
  for (const query of [`?cursor=${cursor}`, `?scope=db:write&cursor=${cursor}`, '?cursor=nonsense']) {
    assertProblem(await list(query), 400, 'invalid_request', CURSOR_REFUSED)
  }
  const description = CURSOR_REFUSED
  assertProblem(await list(`/history?scope=db:read&cursor=${cursor}`), 400, 'invalid_request', description)
})

test('a well-formed value that matches nothing is 200 with an empty page', async () => {
  const queries = [
    'agent_id=00000000-0000-4000-8000-000000000000',
    'client_id=nobody',
    'scope=nothing:read',
    'issued_after=2999-01-01T00:00:00.000Z',
    'issued_before=1999-01-01T00:00:00%2B02:00',
  ]
  for (const query of queries) assert.deepEqual(await pageOf(`?${query}`), { data: [], next_cursor: null }, query)
})

test('filters in their other spellings: an id in upper case, a time with an offset', async () => {
  const token = await issue(service, agent)
  const { data } = await pageOf(`?agent_id=${agent.agentId.toUpperCase()}&issued_after=2026-01-01T00:00:00%2B02:00`)
  assert.ok(data.some(({ id }) => id === idOf(token)))
})

test('HEAD as GET, and a body on GET is ignored', async () => {
  const headers = { 'x-api-key': reader.key }
  const head = await send(service, { method: 'HEAD', path: PATH, headers })
  assert.deepEqual([head.status, head.text], [200, ''])
  const withBody = { ...headers, 'content-type': 'application/json', 'content-length': '1' }
  assert.equal((await send(service, { path: PATH, headers: withBody, body: '{' })).status, 200)
})
