// POST /oauth/token: each row of its table, over HTTP.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { HOSTLESS } from '../../../../testkit/callers/hostless-addresses.ts'
import {
  type Answer,
  askToken,
  assertError,
  assertPlainHeaders,
  basic,
  claimsOf,
  issue,
  postForm,
} from '../../../../testkit/callers/requests.ts'
import { type AgentOfTest, AUDIENCE, startServer } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const REFUSED =
  'Client authentication failed: send client_id and client_secret of an enabled agent, in the form or by HTTP Basic.'
const TWO_WAYS = 'The client authenticates itself in two ways at once: choose one.'
const scopeForm = (at = '') =>
  `The scope is malformed${at}: send at most 16 items of the form resource:action, separated by one space each.`
const RESOURCE_FORM = 'Each resource must be an absolute URI without a fragment, at most 8 of them.'
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const service = useService()
const agent = service.agent()
const second = service.agent({ defaultScope: null, resources: ['https://allowed.example'] })

const post = (fields: Record<string, string> | string, headers: Record<string, string> = {}): Promise<Answer> =>
  postForm(service, '/oauth/token', fields, headers)

const secretOf = (one: AgentOfTest) => ({ client_id: one.clientId, client_secret: one.clientSecret })

const assertRefused = (answer: Answer): void => {
  assertError(answer, 401, 'invalid_client', REFUSED)
  assert.deepEqual(answer.challenges, [`Basic realm="${service.baseUrl}"`])
}

test('success: 200 access_token, token_type Bearer, expires_in (integer), scope (always)', async () => {
  const answer = await askToken(service, agent, { scope: 'db:write db:read' })
  const { access_token: token, ...rest } = answer.json as { access_token: string }
  assert.equal(answer.status, 200)
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 300, scope: 'db:read db:write' })
  assert.equal(token.split('.').length, 3)
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  assertPlainHeaders(answer)
})

test('the token (RFC 9068): header alg, kid, typ at+jwt; claims iss sub aud client_id iat exp jti scope seq and credential_id', async () => {
  const token = await issue(service, agent)
  const header: unknown = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())
  const claims = claimsOf(token)
  const iat = Math.floor(service.clock.wall() / 1000)
  const { kid } = header as { kid: string }
  assert.match(kid, /^[A-Za-z0-9_-]{43}$/)
  assert.deepEqual(header, { alg: 'ES256', kid, typ: 'at+jwt' })
  const { jti, seq, credential_id: credentialId, ...rest } = claims
  assert.match(String(jti), UUID_V7)
  assert.ok(Number.isInteger(seq))
  assert.match(String(credentialId), UUID_V4)
  const { agentId, clientId } = agent
  const named = { iss: service.baseUrl, sub: agentId, aud: AUDIENCE, client_id: clientId }
  assert.deepEqual(rest, { ...named, iat, exp: iat + 300, scope: 'db:read' })
})

test('grant_type missing: 400 invalid_request', async () => {
  assertError(await post(secretOf(agent)), 400, 'invalid_request', 'grant_type is missing: send client_credentials.')
})

test('grant_type repeated: 400 invalid_request', async () => {
  const answer = await post('grant_type=client_credentials&grant_type=client_credentials')
  assertError(answer, 400, 'invalid_request', 'grant_type is given more than once.')
})

test('another grant_type: 400 unsupported_grant_type', async () => {
  const answer = await askToken(service, agent, { grant_type: 'password' })
  assertError(
    answer,
    400,
    'unsupported_grant_type',
    'The grant_type is none that this service has: client_credentials, urn:ietf:params:oauth:grant-type:token-exchange, urn:ietf:params:oauth:grant-type:jwt-bearer.',
  )
})

test('client unknown, secret wrong, no or unsupported authentication, agent disabled: one identical 401', async () => {
  const disabled = await service.createAgent()
  await service.disableAgent(disabled.agentId)
  const grant = { grant_type: 'client_credentials' }
  const { clientId, clientSecret } = agent
  assertRefused(await post({ ...grant, client_id: 'nobody', client_secret: clientSecret }))
  assertRefused(await post({ ...grant, client_id: clientId, client_secret: `${clientSecret}x` }))
  assertRefused(await post({ ...grant, client_id: clientId }))
  assertRefused(await post({ ...grant, client_secret: clientSecret }))
  assertRefused(await post(grant))
  assertRefused(await post({ ...grant, ...secretOf(disabled) }))
  assertRefused(await post({ ...grant, client_id: clientId, client_assertion: 'a.b.c' }))
  assertRefused(await post(grant, { authorization: 'Bearer abc' }))
  const otherScheme = basic(clientId, clientSecret).authorization.replace('Basic', 'Digest')
  assertRefused(await post(grant, { authorization: otherScheme }))
  assertRefused(await post(grant, basic(clientId, 'wrong')))
})

test('a malformed Basic header: 401 invalid_client', async () => {
  const grant = { grant_type: 'client_credentials' }
  const encoded = (text: string | Uint8Array): string => Buffer.from(text).toString('base64')
  const pair = `${agent.clientId}:${agent.clientSecret}`
  const malformed = [
    '',
    '!!!',
    encoded(pair).replace(/=*$/, '!'),
    ` ${encoded(pair)}=`,
    encoded(agent.clientId),
    encoded(`${pair}%zz`),
    encoded(Uint8Array.of(0xff, 0x3a, 0xff)),
  ]
  for (const one of malformed) assertRefused(await post(grant, { authorization: `Basic ${one}` }))
})

test('HTTP Basic: both halves are form-decoded after base64; the name of the scheme in any case', async () => {
  const escape = (text: string): string => text.replace(/[_-]/g, sign => `%${sign.charCodeAt(0).toString(16)}`)
  const { clientId, clientSecret } = agent
  const raw = basic(clientId, clientSecret)
  const escaped = basic(escape(clientId), escape(clientSecret))
  for (const header of [raw, escaped, { authorization: raw.authorization.replace('Basic', 'bAsIc') }]) {
    const answer = await post({ grant_type: 'client_credentials', client_id: clientId }, header)
    assert.equal(answer.status, 200, answer.text)
  }
})

test('two ways of authentication at once: 400 invalid_request', async () => {
  const grant = { grant_type: 'client_credentials' }
  const { clientId, clientSecret } = agent
  const header = basic(clientId, clientSecret)
  const both = [
    await post({ ...grant, ...secretOf(agent) }, header),
    await post({ ...grant, client_assertion: 'a.b.c' }, header),
    await post({ ...grant, ...secretOf(agent), client_assertion: 'a.b.c' }),
  ]
  for (const answer of both) assertError(answer, 400, 'invalid_request', TWO_WAYS)
})

test("body client_id differs from the header's: 400 invalid_request", async () => {
  const header = basic(agent.clientId, agent.clientSecret)
  const answer = await post({ grant_type: 'client_credentials', client_id: second.clientId }, header)
  const description = 'client_id differs between the form and the Authorization header.'
  assertError(answer, 400, 'invalid_request', description)
})

test('scope not resource:action items separated by one space: 400 invalid_scope', async () => {
  const many = Array.from({ length: 17 }, (_, n) => `db:${n}`).join(' ')
  for (const scope of ['db:read  db:write', ' db:read', 'db:read ', 'dö:read', '"', '\\', 'x'.repeat(65), many]) {
    assertError(await askToken(service, agent, { scope }), 400, 'invalid_scope', scopeForm())
  }
  for (const scope of ['db', 'db:', ':read', 'db:*', 'x'.repeat(64)]) {
    const answer = await askToken(service, agent, { scope: `db:read ${scope}` })
    assertError(answer, 400, 'invalid_scope', scopeForm(` at ${scope}`))
  }
})

test('scope unknown, or beyond what the agent may have: 400, the whole request is refused, never narrowed', async () => {
  const allowed = ['db:read', ...Array.from({ length: 8 }, (_, n) => `db:x${n}`)]
  const rich = await service.createAgent({ scope: allowed.join(' ') })
  for (const [asking, may] of [
    [agent, 'db:*'],
    [rich, `${allowed.slice(0, 8).join(' ')} and 1 more`],
  ] as const) {
    const description = `The scope holds mail:send, which is not among what this agent may have: ${may}.`
    assertError(await askToken(service, asking, { scope: 'db:read mail:send' }), 400, 'invalid_scope', description)
  }
})

test('an item twice in scope counts once and is echoed once', async () => {
  const answer = await askToken(service, agent, { scope: 'db:read db:read' })
  assert.equal((answer.json as { scope: string }).scope, 'db:read')
})

test("scope absent: the agent's configured default, echoed; where it has none, 400 invalid_scope", async () => {
  assert.equal(((await askToken(service, agent)).json as { scope: string }).scope, 'db:read')
  assert.equal(((await askToken(service, agent, { scope: '' })).json as { scope: string }).scope, 'db:read')
  const description = 'The request names no scope and the agent has no default one: send scope=resource:action.'
  assertError(await askToken(service, second), 400, 'invalid_scope', description)
})

test('resource not an absolute URI, without a host, or with a fragment: 400 invalid_target', async () => {
  const wrong = ['api', '/api', 'https://api.example#part', 'https://api.example/ü', 'https:']
  for (const resource of [...wrong, ...HOSTLESS]) {
    assertError(await askToken(service, agent, { resource }), 400, 'invalid_target', RESOURCE_FORM)
    assertError(await askToken(service, agent, { audience: resource }), 400, 'invalid_target', RESOURCE_FORM)
  }
  for (const resource of [
    'http://localhost',
    'HTTPS://api.example:8443/a?b',
    'https://[::1]:8443/',
    'urn:api',
    'spiffe://a/b',
  ])
    assert.equal((await askToken(service, agent, { resource })).status, 200, resource)
})

test('resource not allowed to the agent: 400 invalid_target', async () => {
  const description =
    'This agent may not ask for the resource https://other.example: it may ask for https://allowed.example, https://api.example.'
  const answer = await askToken(service, second, { scope: 'db:read', resource: 'https://other.example' })
  assertError(answer, 400, 'invalid_target', description)
})

test('aud is the resource asked for, also by the name audience; both may repeat, 8 in all', async () => {
  const form = (rest: string): string =>
    `${new URLSearchParams({ grant_type: 'client_credentials', ...secretOf(agent) }).toString()}&${rest}`
  const audienceOf = async (rest: string): Promise<unknown> => {
    const { access_token: token } = (await post(form(rest))).json as { access_token: string }
    return claimsOf(token)['aud']
  }
  assert.equal(await audienceOf('resource=https://a.example'), 'https://a.example')
  assert.equal(await audienceOf('audience=https://a.example'), 'https://a.example')
  const all = 'resource=https://b.example&resource=https://a.example&audience=https://c.example&audience='
  assert.deepEqual(await audienceOf(all), ['https://a.example', 'https://b.example', 'https://c.example'])
  const nine = Array.from({ length: 9 }, (_, n) => `resource=https://${n}.example`).join('&')
  assertError(await post(form(nine)), 400, 'invalid_target', RESOURCE_FORM)
})

test("aud without a resource is the agent's default audience", async () => {
  const other = await service.createAgent({ defaultAudience: 'https://own.example' })
  assert.equal(claimsOf(await issue(service, other))['aud'], 'https://own.example')
})

test('a default audience may be asked for by name too, alone or with resources: the own one, or else that of the service', async () => {
  const [OWN, ALLOWED] = ['https://own.example', 'https://allowed.example']
  const description = `This agent may not ask for the resource ${AUDIENCE}: it may ask for ${ALLOWED}, ${OWN}.`
  const own = await service.createAgent({ defaultAudience: OWN, resources: [ALLOWED] })
  for (const name of ['resource', 'audience']) {
    assert.equal(claimsOf(await issue(service, own, { [name]: OWN }))['aud'], OWN)
    assert.equal(claimsOf(await issue(service, second, { scope: 'db:read', [name]: AUDIENCE }))['aud'], AUDIENCE)
    assertError(await askToken(service, own, { [name]: AUDIENCE }), 400, 'invalid_target', description)
  }
  assert.deepEqual(claimsOf(await issue(service, own, { resource: OWN, audience: ALLOWED }))['aud'], [ALLOWED, OWN])
})

test('requests of one moment are answered each with its own token or refusal', async () => {
  const wishes = ['db:read', 'mail:send', 'db:write', 'nonsense']
  const answers = await Promise.all(wishes.map(scope => askToken(service, agent, { scope })))
  assert.deepEqual(
    answers.map(({ json }) => (json as { scope?: string; error?: string }).scope ?? (json as { error: string }).error),
    ['db:read', 'invalid_scope', 'db:write', 'invalid_scope'],
  )
})

test('the store cannot answer: 503 temporarily_unavailable with Retry-After, and no token leaves the service', async () => {
  const insert = (): Promise<never> => Promise.reject(new Unavailable('The store did not answer.'))
  const broken = await startServer({ break: ports => ({ ...ports, ledger: { ...ports.ledger, insert } }) })
  try {
    const answer = await askToken(broken, await broken.createAgent())
    const description = 'The service cannot answer for certain right now: try again.'
    assertError(answer, 503, 'temporarily_unavailable', description)
    assert.equal(answer.headers['retry-after'], '1')
    assert.match(broken.log(), /"level":40.*The store did not answer\..*"msg":"unavailable"/)
  } finally {
    await broken.close()
  }
})
