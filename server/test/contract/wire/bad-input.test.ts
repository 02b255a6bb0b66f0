// Bad input to every endpoint: each parameter missing, empty, twice, too long, of the wrong kind, in the query string;
// wrong content types, wrong methods, bodies over the limit. No answer is a 5xx, and each error body is exact.
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import {
  type Answer,
  assertError,
  assertProblem,
  bearer,
  FORM,
  get,
  postForm,
  send,
} from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const FORM_WANTED = 'The request has no form: send its fields as application/x-www-form-urlencoded, in UTF-8.'
const MEDIA_TYPE =
  'The media type of a body is application/x-www-form-urlencoded or, where the operation takes JSON, application/json, in UTF-8.'
const NOT_UTF8 = 'The body is not a form in percent-encoded UTF-8.'
const QUERY_NOT_UTF8 = 'The query string is not percent-encoded UTF-8.'
const CLIENT_REFUSED =
  'Client authentication failed: send client_id and client_secret of an enabled agent, in the form or by HTTP Basic.'
const LONG = 'x'.repeat(2000)

/** What must be in the body, not in the query string, and may be there once. */
const CLIENT_FIELDS = ['client_id', 'client_secret', 'client_assertion', 'client_assertion_type']
const ENDPOINTS = {
  '/oauth/token': { once: ['grant_type', 'scope', ...CLIENT_FIELDS], many: ['resource', 'audience'] },
  '/oauth/introspect/v2': { once: ['token', 'token_type_hint'], many: [] },
  '/oauth/revoke': { once: ['token', 'token_type_hint', ...CLIENT_FIELDS], many: [] },
} as const
const POSTS = Object.entries(ENDPOINTS)
const LISTS = ['/api/v1/tokens', '/api/v1/tokens/history'] as const
const SECRET_NAMES = ['client_secret', 'client_assertion', 'token', 'access_token', 'api_key', 'X-API-Key', 'password']

const service = useService()
const agent = service.agent()
let reader: { 'x-api-key': string }
let good: Readonly<Record<string, { readonly form: string; readonly headers: Record<string, string> }>>

service.before(async () => {
  reader = { 'x-api-key': (await service.createApiKey('tokens:read')).key }
  const introspector = { 'x-api-key': (await service.createApiKey('tokens:introspect')).key }
  const client = `client_id=${agent.clientId}&client_secret=${agent.clientSecret}`
  good = {
    '/oauth/token': { form: `grant_type=client_credentials&${client}`, headers: {} },
    '/oauth/introspect/v2': { form: 'token=x', headers: introspector },
    '/oauth/revoke': { form: 'token=x', headers: bearer(await service.provider.operatorJwt()) },
  }
})

afterEach(() => assert.doesNotMatch(service.log(), /"level":(?:40|50|60)/, 'A fault was logged.'))

const post = (path: string, form: string): Promise<Answer> => postForm(service, path, form, good[path]?.headers)

const list = (path: string, query: string): Promise<Answer> => get(service, `${path}?${query}`, reader)

test('the requests that the others spoil are good', async () => {
  for (const [path] of POSTS) assert.equal((await post(path, good[path]?.form ?? '')).status, 200, path)
  for (const path of LISTS) assert.equal((await list(path, '')).status, 200, path)
})

test('a required parameter that is missing, empty or of another name is refused by its name', async () => {
  const required = {
    '/oauth/token': 'grant_type is missing: send client_credentials.',
    '/oauth/introspect/v2': 'token is missing: send the token to check.',
    '/oauth/revoke': 'token is missing: send the token to revoke.',
  }
  for (const [path, description] of Object.entries(required)) {
    const name = description.split(' ', 1)[0] ?? ''
    for (const form of ['', '&&', name, `${name}=`, `${name}[]=x`, `${name.toUpperCase()}=x`, '=x']) {
      assertError(await post(path, form), 400, 'invalid_request', description)
    }
  }
})

test('a defined parameter given twice is 400 and named; only resource and audience may repeat', async () => {
  for (const [path, { once, many }] of POSTS) {
    for (const name of once) {
      const answer = await post(path, `${name}=a&${name}=b`)
      assertError(answer, 400, 'invalid_request', `${name} is given more than once.`)
    }
    for (const name of many) {
      const uri = encodeURIComponent('https://api.example')
      assert.equal((await post(path, `${good[path]?.form}&${name}=${uri}&${name}=${uri}`)).status, 200)
    }
  }
})

test('an empty value counts as absent, and an unknown parameter is ignored, also twice', async () => {
  for (const [path, { once, many }] of POSTS) {
    const form = good[path]?.form ?? ''
    const optional = [...once, ...many].filter(name => !form.includes(`${name}=`))
    const rest = [...optional.map(name => `${name}=`), 'unknown=a', 'unknown=b', '__proto__=c', 'constructor=d']
    assert.equal((await post(path, [form, ...rest].join('&'))).status, 200, path)
  }
})

test('values that are too long get the answer of a wrong value', async () => {
  const form = (changed: Record<string, string>): string =>
    new URLSearchParams({
      ...Object.fromEntries(new URLSearchParams(good['/oauth/token']?.form)),
      ...changed,
    }).toString()
  const token = (changed: Record<string, string>): Promise<Answer> => post('/oauth/token', form(changed))
  const grants =
    'The grant_type is none that this service has: client_credentials, urn:ietf:params:oauth:grant-type:token-exchange, urn:ietf:params:oauth:grant-type:jwt-bearer.'
  assertError(await token({ grant_type: LONG }), 400, 'unsupported_grant_type', grants)
  assertError(await token({ client_id: LONG }), 401, 'invalid_client', CLIENT_REFUSED)
  assertError(await token({ client_secret: LONG }), 401, 'invalid_client', CLIENT_REFUSED)
  const scopes =
    'The scope is malformed: send at most 16 items of the form resource:action, separated by one space each.'
  assertError(await token({ scope: `db:${LONG}` }), 400, 'invalid_scope', scopes)
  const resources = 'Each resource must be an absolute URI without a fragment, at most 8 of them.'
  assertError(await token({ resource: `https://${LONG}` }), 400, 'invalid_target', resources)
  assert.equal((await post('/oauth/introspect/v2', `token=${LONG}&token_type_hint=${LONG}`)).text, '{"active":false}')
  assert.equal((await post('/oauth/revoke', `token=${LONG}&token_type_hint=${LONG}`)).text, '{}')
})

test('a credential or token in any query string is 400, whatever its case', async () => {
  const description = (name: string): string =>
    `${name} is in the query string: a credential or token goes into the body or a header.`
  for (const name of SECRET_NAMES) {
    for (const [path] of POSTS) {
      const answer = await post(`${path}?a=b&${name}=x`, good[path]?.form ?? '')
      assertError(answer, 400, 'invalid_request', description(name))
    }
    for (const path of LISTS) assertProblem(await list(path, `${name}=x`), 400, 'invalid_request', description(name))
    for (const path of ['/.well-known/jwks.json', '/livez', '/oauth/authorize']) {
      assertError(await get(service, `${path}?${name}=x`), 400, 'invalid_request', description(name))
    }
  }
})

test('a description is ASCII, whatever it quotes', async () => {
  // The Kelvin sign is a k in lower case.
  const answer = await get(service, '/livez?to%E2%84%AAen=x')
  const description = 'to?en is in the query string: a credential or token goes into the body or a header.'
  assertError(answer, 400, 'invalid_request', description)
})

test('a page of the console is served whatever its query, which the console reads itself, unless a secret is in it', async () => {
  for (const path of ['/console', '/console/', '/console/agents']) {
    const page = await get(service, path)
    for (const query of ['q=%E0%A4%A', 'q=%', '%zz', 'a=%ff']) {
      assert.equal((await get(service, `${path}?${query}`)).status, page.status, query)
    }
    for (const query of ['token=x', 'q=%&token=x', 'q=%ff&ACCESS_TOKEN=x']) {
      assert.equal((await get(service, `${path}?${query}`)).status, 400, query)
    }
  }
})

test('a parameter of the body in the query string is 400', async () => {
  for (const name of ['grant_type', 'client_id', 'scope', 'resource', 'audience', 'token_type_hint']) {
    for (const [path] of POSTS) {
      const answer = await post(`${path}?${name}=x`, good[path]?.form ?? '')
      assertError(answer, 400, 'invalid_request', `${name} is in the query string: send it in the body.`)
    }
  }
})

test('bytes that are not UTF-8, or not percent-encoded: 400', async () => {
  for (const [path] of POSTS) {
    for (const bad of ['%', '%z', '%zz', 'a=%ff', 'a=%c0%80', 'unknown=%e4', '%u0041=x']) {
      assertError(await post(path, `${good[path]?.form}&${bad}`), 400, 'invalid_request', NOT_UTF8)
    }
    const body = Buffer.concat([Buffer.from(`${good[path]?.form}&a=`), Buffer.of(0xff)])
    const headers = { ...FORM, ...good[path]?.headers }
    assertError(await send(service, { method: 'POST', path, headers, body }), 400, 'invalid_request', NOT_UTF8)
    assertError(await post(`${path}?a=%ff`, good[path]?.form ?? ''), 400, 'invalid_request', QUERY_NOT_UTF8)
  }
  for (const path of LISTS) assertProblem(await list(path, 'scope=%zz'), 400, 'invalid_request', QUERY_NOT_UTF8)
})

test('missing or other content type where a body is required: 400 invalid_request', async () => {
  const types = ['application/json', 'text/plain', 'multipart/form-data; boundary=x', 'nonsense', '']
  for (const [path] of POSTS) {
    const { form: body = '', headers = {} } = good[path] ?? {}
    const as = (type: Record<string, string>, sent = body): Promise<Answer> =>
      send(service, { method: 'POST', path, headers: { ...headers, ...type }, body: sent })
    for (const type of types) {
      assertError(await as({ 'content-type': type }), 400, 'invalid_request', MEDIA_TYPE)
    }
    assertError(await as({}), 400, 'invalid_request', MEDIA_TYPE)
    assertError(await as({}, ''), 400, 'invalid_request', FORM_WANTED)
    const latin = { 'content-type': `${FORM['content-type']}; charset=iso-8859-1` }
    assertError(await as(latin), 400, 'invalid_request', FORM_WANTED)
    for (const known of ['; charset=utf-8', ';charset="UTF-8"', '; x=y']) {
      assert.equal((await as({ 'content-type': FORM['content-type'] + known })).status, 200, known)
    }
  }
})

test('body over the limit: 413, declared or not; one at the limit is read', async () => {
  const description = 'The body is larger than this service takes.'
  for (const [path] of POSTS) {
    const { form = '', headers = {} } = good[path] ?? {}
    const padded = (bytes: number): string => `${form}&pad=`.padEnd(bytes, 'x')
    assert.equal((await post(path, padded(16_384))).status, 200)
    assertError(await post(path, padded(16_385)), 413, 'request_too_large', description)
    const chunked = { ...FORM, ...headers, 'transfer-encoding': 'chunked' }
    const answer = await send(service, { method: 'POST', path, headers: chunked, body: padded(40_000) })
    assertError(answer, 413, 'request_too_large', description)
  }
})

test('another method on a known path: 405 with Allow', async () => {
  for (const [path] of POSTS) {
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY']) {
      const answer = await send(service, { method, path })
      assert.deepEqual([answer.status, answer.headers['allow']], [405, 'POST'], method)
      if (method !== 'HEAD') assertError(answer, 405, 'method_not_allowed', 'This path takes POST.')
    }
  }
  for (const path of LISTS) {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'QUERY']) {
      const headers = { ...reader, 'content-type': 'application/json' }
      const answer = await send(service, { method, path, headers, body: '{' })
      assertProblem(answer, 405, 'method_not_allowed', 'This path takes GET, HEAD.')
      assert.equal(answer.headers['allow'], 'GET, HEAD')
    }
  }
})

test('a list parameter that is empty, twice, malformed, out of range or unknown is 400 and named', async () => {
  const uuid = 'is not a UUID.'
  const time = 'is not an RFC 3339 time such as 2026-11-21T09:30:05Z (encode a + as %2B).'
  const limit = 'is not a whole number from 1 to 1000.'
  const names = 'is not a comma list of names in lower snake case.'
  const times = ['yesterday', '2026-11-21', '1795253405', '2026-02-30T00:00:00.000Z', '2026-11-21T09:30:05+02:00', LONG]
  const both: [string, string, readonly string[]][] = [
    ['agent_id', uuid, ['x', `${agent.agentId}0`, agent.agentId.slice(1), LONG]],
    ['client_id', 'is not 1 to 255 printable ASCII characters.', ['%C3%BC', '%00', LONG]],
    ['scope', 'is not one item of the form resource:action.', ['db', 'db:read db:write', 'db:*', `db:${LONG}`]],
    ['limit', limit, ['0', '-1', '1.5', '1001', '0x10', '01', '1e2', 'ten', LONG]],
    ['cursor', 'is not a cursor of this list.', ['a b', LONG]],
    ['issued_after', time, times],
    ['issued_before', time, times],
  ]
  const history: typeof both = [
    ['termination_reason', names, ['Expired', 'expired,', ',', 'a b', 'expired;x', LONG]],
    ['ended_after', time, times],
    ['ended_before', time, times],
  ]
  const check = async (path: string, [name, form, values]: (typeof both)[number]): Promise<void> => {
    const refused = async (query: string, description: string): Promise<void> =>
      assertProblem(await list(path, query), 400, 'invalid_request', description)
    for (const value of values) await refused(`${name}=${value.replaceAll(' ', '+')}`, `${name} ${form}`)
    await refused(`${name}=`, `${name} is empty: give it a value, or leave it out.`)
    await refused(name, `${name} is empty: give it a value, or leave it out.`)
    await refused(`${name}=x&${name}=x`, `${name} is given more than once.`)
  }
  for (const path of LISTS) for (const row of both) await check(path, row)
  for (const row of history) {
    await check('/api/v1/tokens/history', row)
    const description = `${row[0]} is not a parameter of this operation.`
    assertProblem(await list('/api/v1/tokens', `${row[0]}=expired`), 400, 'invalid_request', description)
  }
})

test('a list takes a time of every year that RFC 3339 can write, long gone or far ahead', async () => {
  const lists = [
    ['/api/v1/tokens', ['issued_after', 'issued_before']],
    ['/api/v1/tokens/history', ['issued_after', 'issued_before', 'ended_after', 'ended_before']],
  ] as const
  const early = ['0000-01-01T00:00:00%2B00:01', '0272-09-04T10:11:12.000Z', '2016-12-31T23:59:60.000Z']
  const times = [...early, '9999-12-31T23:59:59-00:01']
  for (const [path, names] of lists) {
    const { data: all } = (await list(path, '')).json as { data: readonly unknown[] }
    for (const name of names) {
      for (const time of times) {
        const answer = await list(path, `${name}=${time}`)
        const data = early.includes(time) === name.endsWith('_after') ? all : []
        assert.deepEqual([answer.status, answer.json], [200, { data, next_cursor: null }], `${name}=${time}`)
      }
    }
  }
})

test('an unknown list parameter is 400; a name that may be a pasted secret is not repeated', async () => {
  for (const path of LISTS) {
    const named = 'agentid is not a parameter of this operation.'
    assertProblem(await list(path, 'agentid=x'), 400, 'invalid_request', named)
    const unnamed = 'A name in the query string is not a parameter of this operation.'
    assertProblem(await list(path, `${agent.clientSecret}=x`), 400, 'invalid_request', unnamed)
  }
})
