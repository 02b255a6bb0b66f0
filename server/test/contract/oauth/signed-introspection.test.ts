// POST /oauth/introspect/v2 with Accept: application/token-introspection+jwt (RFC 9701): the answer as a signed JWT.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
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
import { type AgentOfTest, startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

const PATH = '/oauth/introspect/v2'
const SIGNED = 'application/token-introspection+jwt'
const INACTIVE = { active: false }

let service: TestServer
let agent: AgentOfTest
let apiKey: { id: string; key: string }
let keySet: JSONWebKeySet

before(async () => {
  // oauth4webapi reads the machine's clock.
  service = await startServer({ start: Date.now() })
  agent = await service.createAgent()
  apiKey = await service.createApiKey('tokens:introspect')
  keySet = (await get(service, '/.well-known/jwks.json')).json as JSONWebKeySet
})

after(() => service.close())

type Key = { readonly id: string; readonly key: string }

const ask = (token: string, headers: Readonly<Record<string, string>>): Promise<Answer> =>
  postForm(service, PATH, { token }, { accept: SIGNED, ...headers })

const askAs = ({ key }: Key, token: string): Promise<Answer> => ask(token, { 'x-api-key': key })

const plain = async ({ key }: Key, token: string): Promise<unknown> => (await introspect(service, key, token)).json

/** Asserts that the answer is a JWT for this API key, made now, and gives what it says of the token. */
const verify = async (answer: Answer, { id }: Key): Promise<unknown> => {
  assert.deepEqual([answer.status, answer.headers['content-type']], [200, SIGNED])
  assertPlainHeaders(answer)
  const { payload, protectedHeader } = await jwtVerify(answer.text, createLocalJWKSet(keySet), {
    typ: 'token-introspection+jwt',
    issuer: service.baseUrl,
    audience: id,
  })
  assert.deepEqual(protectedHeader, { alg: 'ES256', kid: keySet.keys[0]?.kid, typ: 'token-introspection+jwt' })
  const { token_introspection: said, ...rest } = payload
  assert.deepEqual(rest, { iss: service.baseUrl, aud: id, iat: Math.floor(service.clock.wall() / 1000) })
  return said
}

test('active: a JWT with typ, iss, aud, iat, and in token_introspection what the plain answer says', async () => {
  const token = await issue(service, agent)
  const said = await verify(await askAs(apiKey, token), apiKey)
  assert.deepEqual(said, await plain(apiKey, token))
  assert.deepEqual(said, {
    active: true,
    sub: agent.agentId,
    scope: 'db:read',
    exp: claimsOf(token)['exp'],
    client_id: agent.clientId,
    iss: service.baseUrl,
    aud: 'https://api.example',
    iat: claimsOf(token)['iat'],
    jti: claimsOf(token)['jti'],
    token_type: 'Bearer',
  })
})

test('by HTTP Basic too: aud is the id of the API key', async () => {
  const answer = await ask(await issue(service, agent), basic(apiKey.id, apiKey.key))
  assert.equal(((await verify(answer, apiKey)) as { active: boolean }).active, true)
})

test('not active, whatever the cause: signed as any other, and exactly {"active":false}', async () => {
  const [revoked, other] = [await issue(service, agent), await issue(service, agent)]
  await revoke(service, revoked)
  for (const token of ['x', 'a.b.c', revoked, `${other}=`, await service.provider.operatorJwt()]) {
    assert.deepEqual(await verify(await askAs(apiKey, token), apiKey), INACTIVE)
  }
})

test('plain JSON wherever Accept does not ask for more', async () => {
  const token = await issue(service, agent)
  const { text } = await introspect(service, apiKey.key, token)
  for (const accept of ['*/*', 'application/json', `${SIGNED};q=0.5, application/json`, `${SIGNED};q=0`, 'text/html']) {
    const answer = await postForm(service, PATH, { token }, { 'x-api-key': apiKey.key, accept })
    assert.deepEqual([answer.headers['content-type'], answer.text], ['application/json; charset=utf-8', text], accept)
  }
  for (const accept of [`${SIGNED}, */*`, `${SIGNED}, application/json;q=0.9`, SIGNED.toUpperCase()]) {
    const answer = await postForm(service, PATH, { token }, { 'x-api-key': apiKey.key, accept })
    assert.equal(answer.headers['content-type'], SIGNED, accept)
  }
})

test('refusals are JSON as ever, and nothing is signed for who may not ask', async () => {
  const reader = await service.createApiKey('tokens:read')
  const description = 'Introspection needs an API key: send a live one in X-API-Key.'
  assertError(await ask('x', {}), 401, 'invalid_client', description)
  assertError(await ask('x', { 'x-api-key': 'wrong' }), 401, 'invalid_client', description)
  assertError(await ask('x', basic(reader.id, apiKey.key)), 401, 'invalid_client', description)
  const lacks = 'This API key lacks the permission tokens:introspect.'
  assertError(await askAs(reader, 'x'), 403, 'insufficient_scope', lacks)
  const missing = await postForm(service, PATH, '', { accept: SIGNED, 'x-api-key': apiKey.key })
  assertError(missing, 400, 'invalid_request', 'token is missing: send the token to check.')
})

const issueFor = async (...resources: readonly string[]): Promise<string> => {
  const client = { client_id: agent.clientId, client_secret: agent.clientSecret }
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...client })
  for (const resource of resources) form.append('resource', resource)
  return ((await postForm(service, '/oauth/token', form.toString())).json as { access_token: string }).access_token
}

test('an API key limited to audiences hears inactive for tokens of others, in every way of asking', async () => {
  const limited = await service.createApiKey('tokens:introspect', ['https://one.example', 'https://three.example'])
  const tokens = {
    own: await issue(service, agent, { resource: 'https://one.example' }),
    other: await issue(service, agent, { resource: 'https://two.example' }),
    // A token for any of its audiences is for it.
    both: await issueFor('https://two.example', 'https://three.example'),
    nobody: await issue(service, agent),
  }
  const expected = { own: true, other: false, both: true, nobody: false }
  for (const [name, token] of Object.entries(tokens)) {
    const isActive = expected[name as keyof typeof tokens]
    const byBasic = basic(limited.id, limited.key)
    const answers = [
      await plain(limited, token),
      (await postForm(service, PATH, { token }, byBasic)).json,
      await verify(await askAs(limited, token), limited),
      await verify(await ask(token, byBasic), limited),
    ] as readonly { active: boolean }[]
    for (const answer of answers) {
      assert.equal(answer.active, isActive, name)
      if (!isActive) assert.deepEqual(answer, INACTIVE)
    }
    assert.equal(((await plain(apiKey, token)) as { active: boolean }).active, true)
  }
})

test('a signed answer is no access token: inactive at introspection, nothing to revoke, no JWT of an operator', async () => {
  const token = await issue(service, agent)
  const { text } = await askAs(apiKey, token)
  assert.deepEqual(await plain(apiKey, text), INACTIVE)
  assert.deepEqual(await verify(await askAs(apiKey, text), apiKey), INACTIVE)
  for (const spelled of [text, ` ${text}`, `${text}==`]) assert.equal((await revoke(service, spelled)).text, '{}')
  assert.equal((await postForm(service, '/oauth/revoke', { token }, bearer(text))).status, 401)
  assert.equal(((await plain(apiKey, token)) as { active: boolean }).active, true)
})

test('requests of one moment, signed and plain, are answered each for its own token and its own caller', async () => {
  const second = await service.createApiKey('tokens:introspect')
  const token = await issue(service, agent)
  const [first, refused, unsigned, inactive, other] = await Promise.all([
    askAs(apiKey, token),
    askAs({ id: '', key: 'wrong' }, token),
    plain(apiKey, token),
    askAs(apiKey, 'x'),
    askAs(second, token),
  ])
  assert.equal(refused.status, 401)
  assert.deepEqual(await verify(first, apiKey), unsigned)
  assert.deepEqual(await verify(inactive, apiKey), INACTIVE)
  assert.deepEqual(await verify(other, second), unsigned)
})

test('where no key can be had to sign with: 503, and plain answers go on', async () => {
  const viewForIssue = (): Promise<never> => Promise.reject(new Unavailable('The store did not answer.'))
  let isBroken = false
  const broken = await startServer({
    break: ports => ({
      ...ports,
      agents: {
        ...ports.agents,
        viewForIssue: (...asked) => (isBroken ? viewForIssue() : ports.agents.viewForIssue(...asked)),
      },
    }),
  })
  try {
    const { key } = await broken.createApiKey('tokens:introspect')
    const token = await issue(broken, await broken.createAgent())
    isBroken = true
    const [signed, unsigned] = await Promise.all([
      postForm(broken, PATH, { token }, { accept: SIGNED, 'x-api-key': key }),
      introspect(broken, key, token),
    ])
    const description = 'The service cannot answer for certain right now: try again.'
    assertError(signed, 503, 'temporarily_unavailable', description)
    assert.equal((unsigned.json as { active: boolean }).active, true)
  } finally {
    await broken.close()
  }
})

test('no answer calls a token active at an iat by which it had expired', async () => {
  let lateBy = 0
  const slow = await startServer({
    break: ports => ({
      ...ports,
      ledger: {
        ...ports.ledger,
        find: async addresses => {
          const found = await ports.ledger.find(addresses)
          slow.clock.advance(lateBy)
          return found
        },
      },
    }),
  })
  try {
    const { key } = await slow.createApiKey('tokens:introspect')
    const token = await issue(slow, await slow.createAgent())
    const expiresAt = Number(claimsOf(token)['exp'])
    slow.clock.advance(1000 * expiresAt - slow.clock.wall() - 1)
    lateBy = 5000
    const { text } = await postForm(slow, PATH, { token }, { accept: SIGNED, 'x-api-key': key })
    const { iat, token_introspection: said } = claimsOf(text)
    assert.deepEqual([iat, (said as { active: boolean }).active], [expiresAt - 1, true])
  } finally {
    await slow.close()
  }
})

test('oauth4webapi asks for a signed answer, and takes it', async () => {
  const options = { [oauth.allowInsecureRequests]: true, requestJwtResponse: true } as const
  const issuer = new URL(service.baseUrl)
  const found = await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' })
  const server = await oauth.processDiscoveryResponse(issuer, found)
  const resourceServer: oauth.Client = { client_id: apiKey.id }
  const token = await issue(service, agent)
  const byBasic = oauth.ClientSecretBasic(apiKey.key)
  const response = await oauth.introspectionRequest(server, resourceServer, byBasic, token, options)
  assert.equal(response.headers.get('content-type'), SIGNED)
  const kept = response.clone()
  assert.deepEqual(
    await oauth.processIntrospectionResponse(server, resourceServer, response),
    await plain(apiKey, token),
  )
  const strangers: oauth.Client = { client_id: 'somebody-else' }
  await assert.rejects(oauth.processIntrospectionResponse(server, strangers, kept), /unexpected JWT "aud"/)
})
