// Failed authentications beyond a limit: 429 instead of 401 for every way to authenticate, and never for a right credential.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { JWT_BEARER } from '../../../../api/values/delegation.ts'
import { ASSERTION_TYPE } from '../../../../api/values/credentials.ts'
import { type Answer, askToken, basic, bearer, get, issue, postForm } from '../../../../testkit/callers/requests.ts'
import { type AgentOfTest, startServer, type TestServer } from '../../../../testkit/services/test-server.ts'
import { makeFailedAuthentications, makeFailureMemory } from '../../../src/keys/clients/failed-authentications.ts'

const PER_CLIENT = 3
const PER_ADDRESS = 8
const WRONG = `mmc_${'A'.repeat(43)}_wrong`
const TOO_OFTEN = 'Too many failed authentications: wait as long as Retry-After says, and send the right credential.'

/** In ms: the time of the limits. Each test begins with none used, minutes after the one before. */
let now = 1000
let service: TestServer
let agent: AgentOfTest

before(async () => {
  const failedAuthentications = makeFailedAuthentications({
    perClient: PER_CLIENT,
    perAddress: PER_ADDRESS,
    memory: makeFailureMemory(new Uint8Array(32).fill(3)),
    monotonic: () => now,
  })
  service = await startServer({ server: { failedAuthentications, proxies: ['127.0.0.1/32'] } })
  agent = await service.createAgent()
})

after(() => service.close())

beforeEach(() => {
  now += 120_000
})

type Headers = Readonly<Record<string, string>>

const GRANT = { grant_type: 'client_credentials' }

const askAs = (clientId: string, secret: string, headers: Headers = {}) =>
  postForm(service, '/oauth/token', { ...GRANT, client_id: clientId, client_secret: secret }, headers)

const statusesOf = async (count: number, ask: () => Promise<Answer>): Promise<readonly number[]> => {
  const statuses: number[] = []
  for (let n = 0; n < count; n += 1) statuses.push((await ask()).status)
  return statuses
}

/** All that a caller sees, besides what differs in any two answers. */
const visible = ({ status, headers, challenges, text }: Answer) => {
  const { date: _date, 'x-request-id': _id, ...others } = headers
  return { status, challenges, text, headers: others }
}

const forged = (iss: string): string => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iss, sub: iss, aud: service.baseUrl, exp: 4_000_000_000, iat: 1, jti: randomUUID() }
  return `${part({ alg: 'ES256' })}.${part(claims)}.${Buffer.alloc(64, 1).toString('base64url')}`
}

const asserting = (iss: string) => ({ client_assertion_type: ASSERTION_TYPE, client_assertion: forged(iss) })

/** Wrong credentials of every kind: how many of each are 401, the path, and what is sent. */
const WAYS: Readonly<Record<string, readonly [number, string, () => readonly [Headers, Headers]]>> = {
  'a secret in the form': [
    PER_CLIENT,
    '/oauth/token',
    () => [{ ...GRANT, client_id: agent.clientId, client_secret: WRONG }, {}],
  ],
  'a secret by Basic': [PER_CLIENT, '/oauth/token', () => [GRANT, basic(agent.clientId, WRONG)]],
  'an assertion': [PER_CLIENT, '/oauth/token', () => [{ ...GRANT, ...asserting(agent.clientId) }, {}]],
  'an assertion of the jwt-bearer grant': [
    PER_CLIENT,
    '/oauth/token',
    () => [{ grant_type: JWT_BEARER, assertion: forged(agent.clientId) }, {}],
  ],
  'a scheme that is none': [PER_ADDRESS, '/oauth/token', () => [GRANT, { authorization: 'Digest a' }]],
  'an API key at introspection': [PER_ADDRESS, '/oauth/introspect/v2', () => [{ token: 'x' }, { 'x-api-key': WRONG }]],
  'an API key by Basic': [PER_ADDRESS, '/oauth/introspect/v2', () => [{ token: 'x' }, basic(randomUUID(), WRONG)]],
  'a scheme that is none at introspection': [
    PER_ADDRESS,
    '/oauth/introspect/v2',
    () => [{ token: 'x' }, { authorization: 'Bearer a' }],
  ],
  'a secret at revocation': [
    PER_CLIENT,
    '/oauth/revoke',
    () => [{ token: 'x', client_id: agent.clientId, client_secret: WRONG }, {}],
  ],
  'an assertion at revocation': [PER_CLIENT, '/oauth/revoke', () => [{ token: 'x', ...asserting(agent.clientId) }, {}]],
  'a JWT at revocation': [PER_ADDRESS, '/oauth/revoke', () => [{ token: 'x' }, bearer('a.b.c')]],
}

for (const [way, [limit, path, wrong]] of Object.entries(WAYS)) {
  test(`beyond the limit ${way} is 429 with Retry-After, the same for all`, async () => {
    const ask = () => postForm(service, path, ...wrong())
    // RFC 7523 §3.1: a grant is not the way in which a client authenticates itself.
    const refused = way.endsWith('grant') ? 400 : 401
    assert.deepEqual(await statusesOf(limit, ask), Array(limit).fill(refused))
    const { status, json, headers, challenges } = await ask()
    assert.deepEqual(
      { status, json, challenges },
      { status: 429, json: { error: 'too_many_requests', error_description: TOO_OFTEN }, challenges: [] },
    )
    assert.equal(headers['retry-after'], String(Math.ceil(60 / limit)))
    assert.equal(headers['cache-control'], 'no-store')
    now += 1000 * Math.ceil(60 / limit)
    assert.deepEqual(await statusesOf(2, ask), [refused, 429])
  })
}

for (const [way, headers] of Object.entries({
  'an API key': { 'x-api-key': WRONG },
  'a JWT': { authorization: 'Bearer a.b.c' },
})) {
  test(`beyond the limit ${way} at the API is a problem with 429`, async () => {
    const ask = () => get(service, '/api/v1/tokens', headers)
    assert.deepEqual(await statusesOf(PER_ADDRESS, ask), Array(PER_ADDRESS).fill(401))
    const { status, json, headers: answered, challenges } = await ask()
    const problem = { type: `${service.baseUrl}/errors#too_many_requests`, title: 'Limit reached', status: 429 }
    assert.deepEqual(
      { status, json, challenges },
      {
        status: 429,
        json: { ...problem, detail: TOO_OFTEN, error: 'too_many_requests', error_description: TOO_OFTEN },
        challenges: [],
      },
    )
    assert.equal(answered['retry-after'], '8')
    assert.equal(answered['content-type'], 'application/problem+json')
  })
}

test('however many are wrong, every right credential is accepted at once', async () => {
  const { key } = await service.createApiKey('tokens:introspect')
  const { key: reader } = await service.createApiKey('tokens:read')
  const operator = bearer(await service.provider.operatorJwt())
  await statusesOf(PER_CLIENT, () => askAs(agent.clientId, WRONG))
  await statusesOf(PER_ADDRESS, () => get(service, '/api/v1/tokens', { 'x-api-key': WRONG }))
  assert.equal((await askAs(agent.clientId, WRONG)).status, 429)
  const token = await issue(service, agent)
  const basicToken = await postForm(service, '/oauth/token', GRANT, basic(agent.clientId, agent.clientSecret))
  const introspected = await postForm(service, '/oauth/introspect/v2', { token }, { 'x-api-key': key })
  const listed = await get(service, '/api/v1/tokens?limit=1', { 'x-api-key': reader })
  const asOperator = await get(service, '/api/v1/tokens?limit=1', operator)
  const own = { client_id: agent.clientId, client_secret: agent.clientSecret }
  const revoked = await postForm(service, '/oauth/revoke', { token, ...own })
  const all = [basicToken, introspected, listed, asOperator, revoked]
  assert.deepEqual(
    all.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  )
  assert.equal((await askAs(agent.clientId, WRONG)).status, 429)
})

test('a client that exists, one that is disabled and one that does not exist get the same answers in each way', async () => {
  const disabled = await service.createAgent()
  await service.disableAgent(disabled.agentId)
  const askAsserting = (clientId: string) => postForm(service, '/oauth/token', { ...GRANT, ...asserting(clientId) })
  const seen = { secret: [] as unknown[], assertion: [] as unknown[] }
  for (const [way, ask] of [
    ['secret', () => askAs(agent.clientId, WRONG)],
    ['secret', () => askAs(disabled.clientId, disabled.clientSecret)],
    ['secret', () => askAs(randomlyNamed, WRONG)],
    ['assertion', () => askAsserting(agent.clientId)],
    ['assertion', () => askAsserting(randomlyNamed)],
  ] as const) {
    now += 120_000
    const answers: unknown[] = []
    for (let n = 0; n < PER_CLIENT + 3; n += 1) answers.push(visible(await ask()))
    seen[way].push(answers)
  }
  for (const all of Object.values(seen)) for (const answers of all) assert.deepEqual(answers, all[0])
})

const randomlyNamed = randomUUID()

test('a client has a limit for each address, and who is trusted to forward says which address that is', async () => {
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const asking = (headers: Headers) => statusesOf(PER_CLIENT + 1, () => askAs(agent.clientId, WRONG, headers))
  const beyond = [...Array<number>(PER_CLIENT).fill(401), 429]
  assert.deepEqual(await asking(from('192.0.2.1')), beyond)
  assert.deepEqual(await asking(from('192.0.2.2')), beyond)
  // One /64.
  assert.deepEqual(await asking(from('2001:db8::1')), beyond)
  assert.equal((await askAs(agent.clientId, WRONG, from('2001:db8::2'))).status, 429)
  assert.equal((await askAs(agent.clientId, WRONG, { forwarded: 'for="[2001:db8:0:1::2]:8080"' })).status, 401)
})

test('who is not trusted to forward gets no other limit by another X-Forwarded-For or Forwarded', async () => {
  const other = await startServer({
    server: {
      proxies: ['192.0.2.0/24'],
      failedAuthentications: makeFailedAuthentications({
        perClient: PER_CLIENT,
        perAddress: PER_ADDRESS,
        memory: makeFailureMemory(new Uint8Array(32)),
        monotonic: () => now,
      }),
    },
  })
  try {
    const statuses: number[] = []
    for (let n = 0; n < PER_ADDRESS + 2; n += 1) {
      const headers = { 'x-forwarded-for': `198.51.100.${n}`, forwarded: `for=198.51.100.${n}` }
      statuses.push((await get(other, '/api/v1/tokens', { ...headers, 'x-api-key': WRONG })).status)
    }
    assert.deepEqual(statuses, [...Array<number>(PER_ADDRESS).fill(401), 429, 429])
    await other.settle()
    const { key } = await other.createApiKey('audit:read')
    const { json } = await get(other, '/api/v1/audit/refusals', { 'x-api-key': key })
    const rows = (json as { data: readonly { source: string; count: number }[] }).data
    assert.deepEqual(
      rows.map(({ source, count }) => [source, count]),
      [['127.0.0.1', PER_ADDRESS + 2]],
    )
  } finally {
    await other.close()
  }
})

test('the counts of refused attempts hold those beyond a limit too, under the address that was forwarded', async () => {
  const one = await service.createAgent()
  await statusesOf(PER_CLIENT + 4, () => askAs(one.clientId, WRONG, { forwarded: 'for=203.0.113.77' }))
  await service.settle()
  const { key } = await service.createApiKey('audit:read')
  const { json } = await get(service, `/api/v1/audit/refusals?client_id=${one.clientId}`, { 'x-api-key': key })
  const rows = (json as { data: readonly Record<string, unknown>[] }).data
  assert.deepEqual(
    rows.map(({ way, client_id, source, count }) => ({ way, client_id, source, count })),
    [{ way: 'client', client_id: one.clientId, source: '203.0.113.77', count: PER_CLIENT + 4 }],
  )
})

test('requests without a credential, and right credentials beyond a limit of tokens, count toward no limit', async () => {
  const { key } = await service.createApiKey('agents:write')
  const limited = await service.createAgent({ tokensPerMinute: 1 })
  assert.equal((await askToken(service, limited)).status, 200)
  assert.deepEqual(
    await statusesOf(PER_ADDRESS + 1, () => askToken(service, limited)),
    Array(PER_ADDRESS + 1).fill(429),
  )
  const bare = () => get(service, '/api/v1/tokens')
  assert.deepEqual(await statusesOf(PER_ADDRESS + 1, bare), Array(PER_ADDRESS + 1).fill(401))
  const forbidden = () => get(service, '/api/v1/tokens', { 'x-api-key': key })
  assert.deepEqual(await statusesOf(PER_ADDRESS + 1, forbidden), Array(PER_ADDRESS + 1).fill(403))
  assert.equal((await get(service, '/api/v1/tokens', { 'x-api-key': WRONG })).status, 401)
})

test('what was sent as a client id is in no log line', async () => {
  const pasted = `pasted-${randomUUID()}`
  await statusesOf(PER_CLIENT + 1, () => askAs(pasted, WRONG))
  await postForm(service, '/oauth/token', { ...GRANT, ...asserting(pasted) })
  assert.ok(service.log().includes('too_many_requests') || service.log().includes('invalid_client'))
  assert.ok(!service.log().includes(pasted))
})
