// Tokens that are bound to a key (RFC 9449): how one is got, what it says of itself, and that a proof gets one only.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calculateJwkThumbprint } from 'jose'
import { makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import { askWith, fetchNonce, goodClaims, makeProof, makeProofKey } from '../../../../testkit/keys/dpop.ts'
import {
  type Answer,
  askToken,
  assertError,
  assertPlainHeaders,
  basic,
  claimsOf,
  get,
  introspect,
  issue,
  postForm,
  revoke,
} from '../../../../testkit/callers/requests.ts'
import { countRows, readRows } from '../../../../testkit/stores/store-file.ts'
import { AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Body = Readonly<Record<string, unknown>>

const NONCE_WANTED = 'The DPoP proof needs the nonce that the header DPoP-Nonce of this answer holds.'
const USED = 'The DPoP proof was refused: it was used before.'

const key = makeProofKey()
const jkt = await calculateJwkThumbprint(key.jwk)

const service = useService()
const agent = service.agent()
const apiKey = service.apiKey('tokens:introspect')
let nonce: string

service.before(async () => {
  nonce = await fetchNonce(service, agent)
})

const proofWith = (claims: Body = {}): string =>
  makeProof(key, { claims: { ...goodClaims(service), nonce, ...claims } })

const bodyOf = (answer: Answer): Body => answer.json as Body

const issueBound = async (fields: Readonly<Record<string, string>> = {}): Promise<string> => {
  const answer = await askWith(service, agent, proofWith(), fields)
  assert.equal(answer.status, 200, answer.text)
  return String(bodyOf(answer)['access_token'])
}

test('a request without a proof gets a bearer token, which names no key, and no nonce', async () => {
  const answer = await askToken(service, agent)
  assert.equal(bodyOf(answer)['token_type'], 'Bearer')
  assert.equal(answer.headers['dpop-nonce'], undefined)
  const token = String(bodyOf(answer)['access_token'])
  assert.ok(!('cnf' in claimsOf(token)))
  const { token_type, cnf } = bodyOf(await introspect(service, apiKey.key, token))
  assert.deepEqual([token_type, cnf], ['Bearer', undefined])
})

test('a proof without a nonce hears the nonce, and the same request with it gets a DPoP token and the next nonce', async () => {
  const refused = await askWith(service, agent, proofWith({ nonce: undefined }))
  assertError(refused, 400, 'use_dpop_nonce', NONCE_WANTED)
  const reported = refused.headers['dpop-nonce'] ?? ''
  assert.match(reported, /^[A-Za-z0-9_-]{22}$/)
  const answer = await askWith(service, agent, proofWith({ nonce: reported }))
  assert.equal(answer.status, 200, answer.text)
  assertPlainHeaders(answer)
  assert.equal(answer.headers['dpop-nonce'], reported)
  const { access_token, ...rest } = bodyOf(answer)
  assert.deepEqual(rest, { token_type: 'DPoP', expires_in: 300, scope: 'db:read' })
  assert.deepEqual(claimsOf(String(access_token))['cnf'], { jkt })
})

test('introspection gives cnf and the type DPoP (RFC 9449 §6.2), whichever way the key is spelled', async () => {
  const token = await issueBound()
  const { jti, iat, exp } = claimsOf(token)
  assert.deepEqual(bodyOf(await introspect(service, apiKey.key, token)), {
    active: true,
    sub: agent.agentId,
    scope: 'db:read',
    exp,
    client_id: agent.clientId,
    iss: service.baseUrl,
    aud: AUDIENCE,
    iat,
    jti,
    token_type: 'DPoP',
    cnf: { jkt },
  })
})

test('a bound token whose cnf was changed or taken out is inactive', async () => {
  const token = await issueBound()
  const [header = '', , signature = ''] = token.split('.')
  const { cnf, ...bearer } = claimsOf(token)
  assert.deepEqual(cnf, { jkt })
  for (const claims of [bearer, { ...bearer, cnf: { jkt: 'x' } }]) {
    const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
    assert.deepEqual(bodyOf(await introspect(service, apiKey.key, `${header}.${payload}.${signature}`)), {
      active: false,
    })
  }
})

test('a bound token is revoked by its client without a proof, and by an operator', async () => {
  const [own, other] = [await issueBound(), await issueBound()]
  const revoked = await postForm(service, '/oauth/revoke', { token: own }, basic(agent.clientId, agent.clientSecret))
  assert.deepEqual([revoked.status, revoked.json], [200, {}])
  assert.equal((await revoke(service, other)).status, 200)
  for (const token of [own, other]) {
    assert.deepEqual(bodyOf(await introspect(service, apiKey.key, token)), { active: false })
  }
})

test('a proof gets one token: the second request with it is refused, with another key it is another proof', async () => {
  const jti = 'one and the same'
  const proof = proofWith({ jti })
  assert.equal((await askWith(service, agent, proof)).status, 200)
  assertError(await askWith(service, agent, proof), 400, 'invalid_dpop_proof', USED)
  assertError(await askWith(service, agent, proofWith({ jti })), 400, 'invalid_dpop_proof', USED)
  const ofAnother = makeProof(makeProofKey('Ed25519'), { claims: { ...goodClaims(service), nonce, jti } })
  assert.equal((await askWith(service, agent, ofAnother)).status, 200)
})

test('of fifty requests at once with one proof one gets a token', async () => {
  const [proof, rows] = [proofWith(), countRows(service.storeFile, 'token')]
  const answers = await Promise.all(Array.from({ length: 50 }, () => askWith(service, agent, proof)))
  const got = answers.filter(({ status }) => status === 200)
  assert.equal(got.length, 1)
  for (const answer of answers.filter(one => !got.includes(one))) assertError(answer, 400, 'invalid_dpop_proof', USED)
  assert.equal(countRows(service.storeFile, 'token'), rows + 1)
})

test('a proof whose request is refused for another cause is not used up', async () => {
  const proof = proofWith()
  assert.equal(bodyOf(await askWith(service, agent, proof, { scope: 'mail:send' }))['error'], 'invalid_scope')
  assert.equal(bodyOf(await askWith(service, agent, proof, { resource: 'nowhere' }))['error'], 'invalid_target')
  assert.equal((await askWith(service, agent, proof)).status, 200)
})

test('neither the proof nor its jti stands in the store or in the log', async () => {
  const jti = 'canary-of-a-jti'
  const proof = proofWith({ jti })
  assert.equal((await askWith(service, agent, proof)).status, 200)
  assert.equal((await askWith(service, agent, proof)).status, 400)
  for (const text of [jti, proof, jkt]) assert.ok(!service.log().includes(text))
  const rows = readRows(service.storeFile, 'select length(id) as bytes from used_proof') as readonly { bytes: number }[]
  assert.ok(rows.length > 0 && rows.every(({ bytes }) => bytes === 16))
})

test('the client is recognized first: a bad proof of an unknown client gets no reason and counts as it', async () => {
  for (const proof of ['', 'x', proofWith({ nonce: undefined }), proofWith()]) {
    const refused = await askWith(service, { ...agent, clientSecret: 'wrong' }, proof)
    assert.equal(refused.status, 401)
    assert.equal(bodyOf(refused)['error'], 'invalid_client')
    assert.equal(refused.headers['dpop-nonce'], undefined)
  }
  const reader = { 'x-api-key': (await service.createApiKey('audit:read')).key }
  await service.settle()
  const { data } = bodyOf(await get(service, `/api/v1/audit/refusals?client_id=${agent.clientId}`, reader))
  assert.equal(
    (data as readonly { count: number }[]).reduce((sum, { count }) => sum + count, 0),
    4,
  )
})

test('an agent that was disabled gets no bound token', async () => {
  const other = await service.createAgent()
  assert.equal((await askWith(service, other, proofWith())).status, 200)
  await service.disableAgent(other.agentId)
  assert.equal((await askWith(service, other, proofWith())).status, 401)
})

test('an agent may be made to need a proof; what it holds lives on, and freed of it it gets bearer tokens', async () => {
  const api = await makeAgentsApi(service)
  const one = await api.create({ dpop_bound_access_tokens: true, default_scope: 'db:read' })
  assert.equal(one.record['dpop_bound_access_tokens'], true)
  const wanted = 'This agent gets no bearer tokens: send a DPoP proof.'
  assertError(await askToken(service, one), 400, 'invalid_dpop_proof', wanted)
  assert.equal((await askWith(service, one, proofWith())).status, 200)
  assert.equal((await api.patch(one.agentId, { dpop_bound_access_tokens: false }))['dpop_bound_access_tokens'], false)
  const bearer = await issue(service, one)
  assert.equal((await api.patch(one.agentId, { dpop_bound_access_tokens: true }))['dpop_bound_access_tokens'], true)
  assertError(await askToken(service, one), 400, 'invalid_dpop_proof', wanted)
  assert.equal(await api.isActive(bearer), true)
  const entry = `select detail from audit where kind = 'agent.change' order by n desc limit 1`
  const [change] = readRows(service.storeFile, entry)
  const detail = JSON.parse(String(change?.['detail'])) as Record<string, unknown>
  const states = [detail['before'], detail['after']]
  assert.deepEqual(states, [{ dpop_bound_access_tokens: false }, { dpop_bound_access_tokens: true }])
})

test('who names another grant type, or sends no secret, hears that first', async () => {
  const wrong = await askWith(service, agent, proofWith(), { grant_type: 'password' })
  assert.equal(bodyOf(wrong)['error'], 'unsupported_grant_type')
  const bare = { grant_type: 'client_credentials' }
  assert.equal((await postForm(service, '/oauth/token', bare, { dpop: proofWith() })).status, 401)
})
