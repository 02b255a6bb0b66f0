// private_key_jwt (RFC 7523): a client that has no secret and signs an assertion for each request.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { thumbprintOf } from '../../../src/keys/tokens/thumbprint.ts'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import {
  askAsserting,
  assertionClaims,
  assertionFields,
  assertRefused,
  createTrust,
  credentialsOf,
  issueAsserting,
  makeAssertion,
  registerKeys,
  revokeAsserting,
  secondsOf,
  signAssertion,
  trust,
} from '../../../../testkit/keys/client-assertions.ts'
import { makeProofKey, type ProofKey } from '../../../../testkit/keys/dpop.ts'
import {
  type Answer,
  assertError,
  basic,
  claimsOf,
  get,
  introspect,
  issue,
  postForm,
} from '../../../../testkit/callers/requests.ts'
import { countRows, readRows } from '../../../../testkit/stores/store-file.ts'
import type { AgentOfTest } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Body = Readonly<Record<string, unknown>>

const key = makeProofKey()

const service = useService()
const introspector = service.apiKey('tokens:introspect')
let agent: AgentOfTest

beforeEach(async () => {
  agent = await service.createAgent()
})

const assertion = (claims: Body = {}, by: ProofKey = key): string => makeAssertion(service, agent, by, { claims })

const isActive = async (token: string): Promise<unknown> =>
  ((await introspect(service, introspector.key, token)).json as Body)['active']

const show = async (id: string): Promise<Body> =>
  (await call(service, { method: 'GET', path: `${credentialsOf(agent)}/${id}` }, await admin(service))).json as Body

const assertAsked = (answer: Answer): void => assert.equal(answer.status, 200, answer.text)

for (const alg of ['ES256', 'ES384', 'Ed25519', 'EdDSA', 'RS256', 'PS256']) {
  test(`an assertion by ${alg} gets a token of the client that its sub names, without client_id, kid, iat and typ`, async () => {
    const own = makeProofKey(alg)
    await registerKeys(service, agent, [own.jwk])
    const { sub, client_id } = claimsOf(await issueAsserting(service, assertion({ iat: undefined }, own)))
    assert.deepEqual([sub, client_id], [agent.agentId, agent.clientId])
  })
}

test('a credential with keys has no secret, is shown with its public members, and names its tokens', async () => {
  const jwk = { ...key.jwk, kid: 'first', use: 'sig', key_ops: ['verify'], note: 'not kept' }
  const answer = await createTrust(service, agent, { private_key_jwt: { jwks: { keys: [jwk] } } })
  const record = answer.json as Body
  const { kty, crv, x, y } = key.jwk
  const kept = { jwks: { keys: [{ kty, crv, x, y, kid: 'first' }] }, accept_token_endpoint: false }
  assert.deepEqual([answer.status, record['kind'], record['private_key_jwt']], [201, 'private_key_jwt', kept])
  assert.ok(!('client_secret' in record))
  const id = String(record['credential_id'])
  const token = await issueAsserting(service, assertion())
  const shown = await show(id)
  assert.deepEqual(shown['live_tokens'], { count: 1, exact: true })
  assert.equal(shown['last_used_at'], record['created_at'])
  const reader = { 'x-api-key': (await service.createApiKey('tokens:read')).key }
  const tokens = (await get(service, `/api/v1/tokens?agent_id=${agent.agentId}`, reader)).json as { data: Body[] }
  assert.deepEqual([tokens.data[0]?.['id'], tokens.data[0]?.['credential_id']], [claimsOf(token)['jti'], id])
  const audit = readRows(
    service.storeFile,
    "select detail from audit where kind = 'credential.create' and subject = ?",
    id,
  )
  const detail = JSON.parse(String(audit[0]?.['detail'])) as Body
  assert.deepEqual([detail['kind'], detail['private_key_jwt']], ['private_key_jwt', kept])
})

test('revoking the credential ends its tokens and refuses its next assertion, from the acknowledgement on', async () => {
  const id = await registerKeys(service, agent, [key.jwk])
  const [token, other] = [await issueAsserting(service, assertion()), await issue(service, agent)]
  const path = `${credentialsOf(agent)}/${id}/revoke`
  assertAsked(await call(service, { method: 'POST', path, body: {} }, await admin(service)))
  assert.deepEqual([await isActive(token), await isActive(other)], [false, true])
  assertRefused(await askAsserting(service, assertion()))
})

test('an expired credential and a disabled agent get nothing', async () => {
  const expires = new Date(service.clock.wall() + 1000).toISOString()
  await trust(service, agent, { expires_at: expires, private_key_jwt: { jwks: { keys: [key.jwk] } } })
  assertAsked(await askAsserting(service, assertion()))
  service.clock.advance(1000)
  assertRefused(await askAsserting(service, assertion()))
  await registerKeys(service, agent, [key.jwk])
  assertAsked(await askAsserting(service, assertion()))
  await service.disableAgent(agent.agentId)
  assertRefused(await askAsserting(service, assertion()))
})

test('a key without a kid is known by its thumbprint (RFC 7638), and a set may hold several', async () => {
  const [second, other] = [makeProofKey(), makeProofKey()]
  const ask = (by: ProofKey, kid: string) =>
    askAsserting(service, makeAssertion(service, agent, by, { header: { kid } }))
  const id = await registerKeys(service, agent, [key.jwk, second.jwk])
  for (const one of [key, second]) assertAsked(await ask(one, thumbprintOf(one.jwk)))
  assertRefused(await ask(key, thumbprintOf(second.jwk)))
  assertRefused(await ask(other, thumbprintOf(other.jwk)))
  assertRefused(await ask(key, 'one'))
  // Of several without a name it is not plain which is meant.
  assertRefused(await askAsserting(service, assertion()))
  const { private_key_jwt: shown } = await show(id)
  assert.deepEqual(shown, { jwks: { keys: [key.jwk, second.jwk] }, accept_token_endpoint: false })
})

test('two credentials let one key take over from another, though neither has a kid', async () => {
  const next = makeProofKey()
  const first = await registerKeys(service, agent, [key.jwk])
  await registerKeys(service, agent, [next.jwk])
  for (const one of [key, next]) assertAsked(await askAsserting(service, assertion({}, one)))
  const path = `${credentialsOf(agent)}/${first}/revoke`
  assertAsked(await call(service, { method: 'POST', path, body: { keep_tokens: true } }, await admin(service)))
  assertRefused(await askAsserting(service, assertion()))
  assertAsked(await askAsserting(service, assertion({}, next)))
})

test('the secret of the agent works beside its keys, and its keys are no secret', async () => {
  await registerKeys(service, agent, [key.jwk])
  assertAsked(await askAsserting(service, assertion()))
  await issue(service, agent)
  for (const secret of ['', 'undefined', 'null', JSON.stringify(key.jwk)]) {
    const form = { grant_type: 'client_credentials' }
    assertRefused(await postForm(service, '/oauth/token', form, basic(agent.clientId, secret)))
  }
})

test('client_id beside an assertion must be the client that it names', async () => {
  await registerKeys(service, agent, [key.jwk])
  assertAsked(await askAsserting(service, assertion(), { client_id: agent.clientId }))
  const answer = await askAsserting(service, assertion(), { client_id: (await service.createAgent()).clientId })
  assertError(answer, 400, 'invalid_request', 'client_id is not the client that the assertion names.')
})

test('an assertion beside another authentication is 400, and uses the assertion up for nothing', async () => {
  await registerKeys(service, agent, [key.jwk])
  const text = assertion()
  const form = { grant_type: 'client_credentials', ...assertionFields(text) }
  const twice = 'The client authenticates itself in two ways at once: choose one.'
  const secret = { client_id: agent.clientId, client_secret: agent.clientSecret }
  assertError(await postForm(service, '/oauth/token', { ...form, ...secret }), 400, 'invalid_request', twice)
  const header = basic(agent.clientId, agent.clientSecret)
  assertError(await postForm(service, '/oauth/token', form, header), 400, 'invalid_request', twice)
  assertAsked(await postForm(service, '/oauth/token', form))
})

test('another assertion type, and none, are refused', async () => {
  await registerKeys(service, agent, [key.jwk])
  const form = { grant_type: 'client_credentials', client_assertion: assertion() }
  const saml = 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer'
  assertRefused(await postForm(service, '/oauth/token', form))
  assertRefused(await postForm(service, '/oauth/token', { ...form, client_assertion_type: saml }))
})

test('aud may be the token endpoint only where the credential says so, and is one string', async () => {
  const endpoint = `${service.baseUrl}/oauth/token`
  await registerKeys(service, agent, [key.jwk])
  for (const aud of [endpoint, [service.baseUrl], [], undefined, `${service.baseUrl}/`, `${service.baseUrl}/oauth`]) {
    assertRefused(await askAsserting(service, assertion({ aud })))
  }
  const lenient = makeProofKey()
  await registerKeys(service, agent, [lenient.jwk], { accept_token_endpoint: true })
  for (const aud of [endpoint, service.baseUrl]) assertAsked(await askAsserting(service, assertion({ aud }, lenient)))
  for (const aud of [[endpoint], [service.baseUrl, endpoint], `${endpoint}/`]) {
    assertRefused(await askAsserting(service, assertion({ aud }, lenient)))
  }
  assertRefused(await askAsserting(service, assertion({ aud: endpoint })))
})

test('times: exp is needed and at most an hour away; clocks may differ by a minute', async () => {
  await registerKeys(service, agent, [key.jwk])
  const now = secondsOf(service)
  for (const claims of [{ exp: now + 3600 }, { exp: now - 59 }, { nbf: now + 60 }, { iat: now + 60 }, { iat: 1 }]) {
    assertAsked(await askAsserting(service, assertion(claims)))
  }
  const wrong = [
    { exp: undefined },
    { exp: String(now + 60) },
    { exp: now + 3601 },
    { exp: now - 60 },
    { nbf: now + 61 },
    { iat: now + 61 },
    { nbf: 'now' },
    { iat: null },
  ]
  for (const claims of wrong) assertRefused(await askAsserting(service, assertion(claims)))
})

test('jti is needed, and is 1 to 256 characters', async () => {
  await registerKeys(service, agent, [key.jwk])
  assertAsked(await askAsserting(service, assertion({ jti: 'x'.repeat(256) })))
  for (const jti of [undefined, null, '', 7, 'x'.repeat(257)]) {
    assertRefused(await askAsserting(service, assertion({ jti })))
  }
})

test('an assertion gets one token, and so does its jti; another client may have the same jti', async () => {
  await registerKeys(service, agent, [key.jwk])
  const text = assertion({ jti: 'one' })
  assertAsked(await askAsserting(service, text))
  assertRefused(await askAsserting(service, text))
  assertRefused(await askAsserting(service, assertion({ jti: 'one' })))
  agent = await service.createAgent()
  await registerKeys(service, agent, [key.jwk])
  assertAsked(await askAsserting(service, assertion({ jti: 'one' })))
})

test('of 50 requests with one assertion at the same time one gets a token', async () => {
  await registerKeys(service, agent, [key.jwk])
  const text = assertion()
  const tokens = countRows(service.storeFile, 'token')
  const answers = await Promise.all(Array.from({ length: 50 }, () => askAsserting(service, text)))
  const got = answers.filter(({ status }) => status === 200)
  assert.equal(got.length, 1)
  for (const answer of answers.filter(one => !got.includes(one))) assertRefused(answer)
  assert.equal(countRows(service.storeFile, 'token'), tokens + 1)
})

test('a request that is refused for another reason leaves its assertion unused', async () => {
  await registerKeys(service, agent, [key.jwk])
  const text = assertion()
  assert.equal((await askAsserting(service, text, { scope: 'mail:send' })).status, 400)
  assertAsked(await askAsserting(service, text))
})

test('what is kept of an assertion is 16 bytes of a hash until it could not be taken any more', async () => {
  await registerKeys(service, agent, [key.jwk])
  await askAsserting(service, assertion({ exp: secondsOf(service) + 60, jti: 'kept' }))
  const until = 1000 * (secondsOf(service) + 60 + 60) - 1
  const sql = 'select length(id) as bytes, until from used_proof where until = ?'
  const [kept] = readRows(service.storeFile, sql, until)
  assert.deepEqual(kept, { bytes: 16, until })
})

test('a client revokes its own token with an assertion, which is then used up here and at the token endpoint', async () => {
  await registerKeys(service, agent, [key.jwk])
  const token = await issueAsserting(service, assertion())
  const text = assertion()
  const answer = await revokeAsserting(service, text, token)
  assert.deepEqual([answer.status, answer.json], [200, {}])
  assert.equal(await isActive(token), false)
  const reader = { 'x-api-key': (await service.createApiKey('tokens:read')).key }
  const path = `/api/v1/tokens/history?agent_id=${agent.agentId}`
  const history = (await get(service, path, reader)).json as { data: Body[] }
  assert.equal(history.data[0]?.['termination_reason'], 'self_revocation')
  assert.deepEqual(history.data[0]?.['ended_by'], { type: 'client', id: agent.clientId })
  assertRefused(await revokeAsserting(service, text, token))
  assertRefused(await askAsserting(service, text))
})

test('an assertion that got a token revokes nothing, and that of another client neither', async () => {
  await registerKeys(service, agent, [key.jwk])
  const text = assertion()
  const token = await issueAsserting(service, text)
  assertRefused(await revokeAsserting(service, text, token))
  const foreign = await issue(service, await service.createAgent())
  const answer = await revokeAsserting(service, assertion(), foreign)
  assertError(answer, 400, 'unauthorized_client', 'The token was issued to another client.')
  assert.deepEqual([await isActive(token), await isActive(foreign)], [true, true])
})

test('a refused assertion is counted for its client where there is one, and never the text', async () => {
  await registerKeys(service, agent, [key.jwk])
  const wrong = makeProofKey()
  const text = assertion({}, wrong)
  assertRefused(await askAsserting(service, text))
  assertRefused(
    await askAsserting(service, signAssertion(wrong, { ...assertionClaims(service, { clientId: 'nobody' }) })),
  )
  await service.settle()
  const rows = readRows(
    service.storeFile,
    "select client from refused where way = 'client' and client = ?",
    agent.clientId,
  )
  assert.equal(rows.length, 1)
  assert.ok(service.log().includes('the signature does not verify'))
  assert.ok(!service.log().includes(text.slice(-40)))
})
