// POST /oauth/revoke: each row of its table, over HTTP.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unavailable } from '../../../src/domain/refusal.ts'
import {
  type Answer,
  assertError,
  assertPlainHeaders,
  basic,
  bearer,
  claimsOf,
  get,
  introspect,
  issue,
  postForm,
  revoke,
} from '../../../../testkit/callers/requests.ts'
import { type AgentOfTest, startServer } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const PATH = '/oauth/revoke'
const CLIENT_REFUSED =
  'Client authentication failed: send client_id and client_secret of an enabled agent, in the form or by HTTP Basic.'
const CREDENTIALS_WANTED =
  'Send a JWT of the identity provider as a Bearer token, or the credentials of the client itself. An API key with tokens:revoke goes to POST /api/v1/tokens/{id}/revoke, where {id} is the jti of the token.'
const JWT_REFUSED = 'The bearer token is not a valid JWT of a configured identity provider for this service.'
const UNAVAILABLE = 'The service cannot answer for certain right now: try again.'

const service = useService()
const agent = service.agent()
const introspector = service.apiKey('tokens:introspect')
const reader = service.apiKey('tokens:read')

const post = (fields: Record<string, string> | string, headers: Record<string, string> = {}): Promise<Answer> =>
  postForm(service, PATH, fields, headers)

const secretOf = (one: AgentOfTest) => ({ client_id: one.clientId, client_secret: one.clientSecret })

const assertDone = (answer: Answer): void => {
  assert.equal(answer.status, 200)
  assert.equal(answer.text, '{}')
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  assertPlainHeaders(answer)
}

const isActive = async (token: string): Promise<boolean> =>
  ((await introspect(service, introspector.key, token)).json as { active: boolean }).active

type Ended = { id: string; termination_reason: string; ended_at: string; ended_by: unknown; note: unknown }

const historyOf = async (token: string): Promise<readonly Ended[]> => {
  const answer = await get(service, '/api/v1/tokens/history?limit=1000', { 'x-api-key': reader.key })
  return (answer.json as { data: Ended[] }).data.filter(({ id }) => id === claimsOf(token)['jti'])
}

test('done: 200 {}; the token is inactive from then on, and history has one record: when, why and by whom', async () => {
  const token = await issue(service, agent)
  assertDone(await revoke(service, token))
  assert.equal(await isActive(token), false)
  const [{ termination_reason, ended_at, ended_by, note } = {}, ...others] = await historyOf(token)
  assert.equal(others.length, 0)
  assert.deepEqual(
    { termination_reason, ended_at, ended_by, note },
    {
      termination_reason: 'manual_revocation',
      ended_at: new Date(service.clock.wall()).toISOString(),
      ended_by: { type: 'operator', iss: service.provider.issuer, sub: 'operator-1' },
      note: null,
    },
  )
})

test('already revoked: 200 {}; the first reason and time stay; no second history record', async () => {
  const token = await issue(service, agent)
  assertDone(await revoke(service, token))
  const first = await historyOf(token)
  service.clock.advance(5000)
  assertDone(await revoke(service, token))
  assertDone(await post({ token, ...secretOf(agent) }))
  assert.deepEqual(await historyOf(token), first)
})

test('fifty callers revoke one token at once: 200 {} for each, and one history record', async () => {
  const token = await issue(service, agent)
  const answers = await Promise.all(Array.from({ length: 50 }, () => revoke(service, token)))
  answers.forEach(assertDone)
  assert.equal((await historyOf(token)).length, 1)
})

test('nothing to do (unknown, malformed, foreign, expired): 200 {}', async () => {
  const expired = await issue(service, agent)
  service.clock.advance(301_000)
  const live = await issue(service, agent)
  const [header = '', , signature = ''] = live.split('.')
  const unknown = { ...claimsOf(live), jti: '01234567-89ab-7def-8123-456789abcdef' }
  const unknownPayload = Buffer.from(JSON.stringify(unknown)).toString('base64url')
  const foreign = await service.provider.operatorJwt()
  const forged = live.replace(/[^.]+$/, 'A'.repeat(signature.length))
  for (const token of [expired, 'x', 'a.b.c', foreign, forged, `${header}.${unknownPayload}.${signature}`]) {
    assertDone(await revoke(service, token))
  }
  assert.equal(await isActive(live), true)
  assert.deepEqual(
    (await historyOf(expired)).map(({ termination_reason }) => termination_reason),
    ['expired'],
  )
})

test('another spelling of a token of ours is ended too', async () => {
  const [spaced, padded] = [await issue(service, agent), await issue(service, agent)]
  assertDone(await revoke(service, ` ${spaced}\n`))
  assertDone(await revoke(service, `${padded}==`))
  assert.deepEqual([await isActive(spaced), await isActive(padded)], [false, false])
})

test('token missing: 400 invalid_request', async () => {
  const jwt = bearer(await service.provider.operatorJwt())
  for (const form of ['', 'token=']) {
    const answer = await post(form, jwt)
    assertError(answer, 400, 'invalid_request', 'token is missing: send the token to revoke.')
    assert.deepEqual(answer.challenges, [])
  }
})

test('token repeated: 400 invalid_request', async () => {
  const answer = await post('token=a&token=b', bearer(await service.provider.operatorJwt()))
  assertError(answer, 400, 'invalid_request', 'token is given more than once.')
})

test('no Authorization: 401 invalid_client, WWW-Authenticate: Bearer realm without an error attribute', async () => {
  const token = await issue(service, agent)
  for (const headers of [{}, { authorization: '' }, { 'x-api-key': introspector.key }]) {
    const answer = await post({ token }, headers)
    assertError(answer, 401, 'invalid_client', CREDENTIALS_WANTED)
    assert.deepEqual(answer.challenges, [`Bearer realm="${service.baseUrl}"`])
  }
  assert.equal(await isActive(token), true)
})

test("identity provider's JWT expired, badly signed, wrong iss, aud or alg: 401 invalid_token", async () => {
  const token = await issue(service, agent)
  const { provider } = service
  const good = await provider.operatorJwt()
  const now = Math.floor(service.clock.wall() / 1000)
  const jwts = [
    await provider.operatorJwt({ exp: now - 61 }),
    await provider.operatorJwt({ exp: undefined }),
    await provider.operatorJwt({ nbf: now + 61 }),
    `${good.slice(0, -8)}AAAAAAAA`,
    await provider.operatorJwt({ iss: 'https://other.example' }),
    await provider.operatorJwt({ aud: 'https://other.example' }),
    await provider.sign({}, { alg: 'RS256' }),
    `${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.split('.')[1]}.`,
    token,
    'nonsense',
    '',
  ]
  for (const jwt of jwts) {
    const answer = await post({ token }, bearer(jwt))
    assertError(answer, 401, 'invalid_token', JWT_REFUSED)
    assert.deepEqual(answer.challenges, [`Bearer realm="${service.baseUrl}", error="invalid_token"`])
  }
  assert.equal(await isActive(token), true)
})

test('valid, but its subject may not revoke: 403 insufficient_scope', async () => {
  const token = await issue(service, agent)
  const description = 'The subject of this JWT has no role that may revoke tokens: it needs operator or admin.'
  for (const role of ['mintmark-viewer', 'nobody', '']) {
    const answer = await post({ token }, bearer(await service.provider.operatorJwt({ role })))
    assertError(answer, 403, 'insufficient_scope', description)
    assert.deepEqual(answer.challenges, [`Bearer realm="${service.baseUrl}", error="insufficient_scope"`])
  }
  assert.equal(await isActive(token), true)
  assertDone(await post({ token }, bearer(await service.provider.operatorJwt({ role: 'mintmark-admin' }))))
})

test("the provider's keys cannot be had: 503 with Retry-After, which says whose and why, and nothing is revoked", async () => {
  const other = await startServer()
  try {
    const token = await issue(other, await other.createAgent())
    other.provider.fail('error')
    const answer = await revoke(other, token)
    const description =
      `The keys of the identity provider ${other.provider.issuer} cannot be read: it answered 500. ` +
      'Try again; until they can be read, use an API key, or the command mintmark beside the store. ' +
      'GET /readyz?verbose shows the state, and the log the whole reason.'
    assertError(answer, 503, 'temporarily_unavailable', description)
    assert.equal(answer.headers['retry-after'], '1')
    const { key } = await other.createApiKey('tokens:introspect')
    assert.equal(((await introspect(other, key, token)).json as { active: boolean }).active, true)
  } finally {
    await other.close()
  }
})

test('the store cannot answer: 503 with Retry-After, never 200 to a revoke that is not durable', async () => {
  const end = (): Promise<never> => Promise.reject(new Unavailable('The store did not answer.'))
  const broken = await startServer({ break: ports => ({ ...ports, ledger: { ...ports.ledger, end } }) })
  try {
    const answer = await revoke(broken, await issue(broken, await broken.createAgent()))
    assertError(answer, 503, 'temporarily_unavailable', UNAVAILABLE)
    assert.equal(answer.headers['retry-after'], '1')
  } finally {
    await broken.close()
  }
})

test('a client revokes its own token with its own authentication: self_revocation', async () => {
  const [byForm, byBasic] = [await issue(service, agent), await issue(service, agent)]
  assertDone(await post({ token: byForm, ...secretOf(agent) }))
  assertDone(await post({ token: byBasic }, basic(agent.clientId, agent.clientSecret)))
  for (const token of [byForm, byBasic]) {
    const [{ termination_reason, ended_by } = {}] = await historyOf(token)
    const by = { type: 'client', id: agent.clientId }
    assert.deepEqual({ termination_reason, ended_by }, { termination_reason: 'self_revocation', ended_by: by })
    assert.equal(await isActive(token), false)
  }
})

test("another client's live token: 400 unauthorized_client, and it stays active; an ended one: 200 {}", async () => {
  const other = await service.createAgent()
  const token = await issue(service, other)
  const answer = await post({ token, ...secretOf(agent) })
  assertError(answer, 400, 'unauthorized_client', 'The token was issued to another client.')
  assert.equal(await isActive(token), true)
  await revoke(service, token)
  assertDone(await post({ token, ...secretOf(agent) }))
  const expired = await issue(service, other)
  service.clock.advance(300_000)
  assertDone(await post({ token: expired, ...secretOf(agent) }))
})

test('client authentication that fails: 401 invalid_client, WWW-Authenticate: Basic', async () => {
  const token = await issue(service, agent)
  const answers = [
    await post({ token, client_id: agent.clientId, client_secret: 'wrong' }),
    await post({ token }, basic(agent.clientId, 'wrong')),
    await post({ token }, { authorization: 'Basic !!!' }),
    await post({ token, client_id: agent.clientId, client_assertion: 'a.b.c' }),
  ]
  for (const answer of answers) {
    assertError(answer, 401, 'invalid_client', CLIENT_REFUSED)
    assert.deepEqual(answer.challenges, [`Basic realm="${service.baseUrl}"`])
  }
})

test('a Bearer token and client authentication at once: 400 invalid_request', async () => {
  const jwt = bearer(await service.provider.operatorJwt())
  const token = await issue(service, agent)
  const description = 'The request carries a Bearer token and client authentication: choose one.'
  assertError(await post({ token, ...secretOf(agent) }, jwt), 400, 'invalid_request', description)
  assertDone(await post({ token, client_id: agent.clientId }, jwt))
})

test('each revocation done is one line in the log, with its request id and without the token', async () => {
  const token = await issue(service, agent)
  const jwt = bearer(await service.provider.operatorJwt())
  await post({ token }, { ...jwt, 'x-request-id': 'revocation-to-find' })
  const lines = service
    .log()
    .split('\n')
    .filter(line => line.includes('revocation-to-find'))
  assert.equal(lines.length, 1)
  const { level, requestId, outcome, msg } = JSON.parse(lines[0] ?? '') as Record<string, unknown>
  assert.deepEqual(
    { level, requestId, outcome, msg },
    { level: 30, requestId: 'revocation-to-find', outcome: 'ended', msg: 'revocation' },
  )
})
