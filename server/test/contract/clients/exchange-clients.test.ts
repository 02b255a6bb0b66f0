// Token exchange by every client authentication, and tokens that are bound to the key of the agent that exchanges.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { calculateJwkThumbprint } from 'jose'
import { ACCESS_TOKEN_TYPE, CLIENT_CREDENTIALS, TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import { post, startWithCertificates, tokenOf, type Way } from '../../../../testkit/callers/client-certificates.ts'
import { exchangeFields } from '../../../../testkit/callers/exchanges.ts'
import { hydraRow } from '../../../../testkit/callers/foreign-exports.ts'
import { importsInto, pbkdf2Hash } from '../../../../testkit/callers/imports.ts'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'
import {
  assertionFields,
  makeAssertion,
  registerKeys,
  REFUSED,
  secondsOf,
  trust,
} from '../../../../testkit/keys/client-assertions.ts'
import { fetchNonce, goodClaims, makeProof, makeProofKey } from '../../../../testkit/keys/dpop.ts'
import { CN, makeCertificate } from '../../../../testkit/keys/make-certificate.ts'
import { assertError, basic, claimsOf, introspect, issue } from '../../../../testkit/callers/requests.ts'
import {
  type AgentOfTest,
  type AgentOfTestRequest,
  AUDIENCE,
  type TestServer,
} from '../../../../testkit/services/test-server.ts'

type Fields = Readonly<Record<string, string>>
type Claims = Readonly<Record<string, unknown>>

const HEADER = { name: 'x-cert', form: 'base64', isVerified: true, proxies: ['127.0.0.1/32'] } as const
const ANYBODY: AgentOfTestRequest = {
  grantTypes: [CLIENT_CREDENTIALS, TOKEN_EXCHANGE],
  actsFor: ['*'],
  receives: [AUDIENCE],
}

const certificate = makeCertificate({ subject: [[[CN, 'orders']]] })
const showing: Way = { headers: { 'x-cert': Buffer.from(certificate.der).toString('base64') } }
const key = makeProofKey()
const jkt = await calculateJwkThumbprint(key.jwk)

let service: TestServer
let platform: Awaited<ReturnType<typeof startIdentityProvider>>
let caller: AgentOfTest
let introspector: string

before(async () => {
  service = await startWithCertificates({ header: HEADER })
  platform = await startIdentityProvider({ algorithms: ['ES256'], now: service.clock.wall })
  caller = await service.createAgent()
  introspector = (await service.createApiKey('tokens:introspect')).key
})

after(async () => {
  await platform.close()
  await service.close()
})

const ask = async (fields: Fields, way?: Way, parent?: string) =>
  post(service, '/oauth/token', { ...exchangeFields(parent ?? (await issue(service, caller))), ...fields }, way)

const secretOf = ({ clientId, clientSecret }: AgentOfTest): Fields => ({
  client_id: clientId,
  client_secret: clientSecret,
})

/** How an agent authenticates itself: the fields, and what is shown beside them. */
type Authentication = (agent: AgentOfTest) => Promise<readonly [Fields, Way?]>

const AUTHENTICATIONS: Readonly<Record<string, Authentication>> = {
  client_secret_post: async agent => [secretOf(agent)],
  client_secret_basic: async ({ clientId, clientSecret }) => [{}, { headers: basic(clientId, clientSecret) }],
  private_key_jwt: async agent => {
    await registerKeys(service, agent, [key.jwk])
    return [assertionFields(makeAssertion(service, agent, key))]
  },
  tls_client_auth: async agent => {
    await trust(service, agent, { tls_client_auth: { subject_dn: 'CN=orders' } })
    return [{ client_id: agent.clientId }, showing]
  },
  'a token of its platform': async agent => {
    const subject = `workload-${randomUUID()}`
    await trust(service, agent, { workload_identity: { issuer: platform.issuer, subject } })
    const iat = secondsOf(service)
    const claims = { iss: platform.issuer, sub: subject, aud: service.baseUrl, iat, exp: iat + 600 }
    return [assertionFields(await platform.sign(claims, {}))]
  },
}

for (const [name, authenticate] of Object.entries(AUTHENTICATIONS)) {
  test(`an agent exchanges by ${name}`, async () => {
    const agent = await service.createAgent(ANYBODY)
    const [fields, way] = await authenticate(agent)
    const answer = await ask(fields, way)
    assert.equal((answer.json as Claims)['issued_token_type'], ACCESS_TOKEN_TYPE)
    const { sub, client_id, act } = claimsOf(tokenOf(answer))
    assert.deepEqual([sub, client_id, act], [caller.agentId, agent.clientId, { sub: agent.agentId }])
  })
}

test('an agent exchanges by the secret of another server, once its hash is verified', async () => {
  const [clientId, clientSecret] = [`imported-${randomUUID()}`, 'orders-service-secret-2019']
  const row = hydraRow(clientId, { client_secret: pbkdf2Hash(clientSecret), scope: 'db:read' })
  const [one] = await importsInto(service).fromHydra(row)
  const agent = { agentId: String(one?.['agent_id']), clientId, clientSecret }
  assertError(await ask(secretOf(agent)), 400, 'unauthorized_client', 'This agent may not use this grant_type.')
  const grant_types = [CLIENT_CREDENTIALS, TOKEN_EXCHANGE]
  const api = await makeAgentsApi(service)
  await api.patch(agent.agentId, { grant_types, acts_for: [caller.agentId], receives: [AUDIENCE] })
  assert.deepEqual(claimsOf(tokenOf(await ask(secretOf(agent))))['act'], { sub: agent.agentId })
})

test('an assertion gets one token, whichever grant it is sent with', async () => {
  const agent = await service.createAgent(ANYBODY)
  await registerKeys(service, agent, [key.jwk])
  const fields = assertionFields(makeAssertion(service, agent, key))
  assert.equal((await ask(fields)).status, 200)
  assertError(await ask(fields), 401, 'invalid_client', REFUSED.assertion)
})

test('an assertion that was refused a token for its subject token is not used up', async () => {
  const agent = await service.createAgent(ANYBODY)
  await registerKeys(service, agent, [key.jwk])
  const fields = assertionFields(makeAssertion(service, agent, key))
  assert.equal((await ask(fields, {}, 'x')).status, 400)
  assert.equal((await ask(fields)).status, 200)
})

test('a DPoP proof binds the new token to its key, whatever the parent is bound to; without one it is a bearer token', async () => {
  const agent = await service.createAgent(ANYBODY)
  const nonce = await fetchNonce(service, agent)
  const proof = (): Way => ({ headers: { dpop: makeProof(key, { claims: { ...goodClaims(service), nonce } }) } })
  const bound = await ask(secretOf(agent), proof())
  const { token_type, issued_token_type } = bound.json as Claims
  assert.deepEqual([token_type, issued_token_type], ['DPoP', ACCESS_TOKEN_TYPE])
  assert.deepEqual(claimsOf(tokenOf(bound))['cnf'], { jkt })
  const reported = (await introspect(service, introspector, tokenOf(bound))).json as Claims
  assert.deepEqual(
    [reported['cnf'], reported['token_type'], reported['act']],
    [{ jkt }, 'DPoP', { sub: agent.agentId }],
  )
  // Its receiver cannot have the key, and needs no proof of it.
  const receiver = await service.createAgent(ANYBODY)
  const bearer = await ask(secretOf(receiver), {}, tokenOf(bound))
  assert.equal((bearer.json as Claims)['token_type'], 'Bearer')
  assert.equal('cnf' in claimsOf(tokenOf(bearer)), false)
  assert.equal('cnf' in ((await introspect(service, introspector, tokenOf(bearer))).json as object), false)
})

test('a proof gets one token, and an agent that needs one gets none without', async () => {
  const agent = await service.createAgent({ ...ANYBODY, dpopBound: true })
  const wanted = 'This agent gets no bearer tokens: send a DPoP proof.'
  assertError(await ask(secretOf(agent)), 400, 'invalid_dpop_proof', wanted)
  const nonce = await fetchNonce(service, agent)
  const dpop = makeProof(key, { claims: { ...goodClaims(service), nonce } })
  assert.equal((await ask(secretOf(agent), { headers: { dpop } })).status, 200)
  const used = 'The DPoP proof was refused: it was used before.'
  assertError(await ask(secretOf(agent), { headers: { dpop } }), 400, 'invalid_dpop_proof', used)
})

test('the certificate of an agent that is set so binds the new token (RFC 8705 §3)', async () => {
  const agent = await service.createAgent({ ...ANYBODY, certificateBound: true })
  const wanted = 'This agent gets no token without a client certificate: make the TLS connection with one (RFC 8705).'
  assertError(await ask(secretOf(agent)), 400, 'invalid_request', wanted)
  const token = tokenOf(await ask(secretOf(agent), showing))
  const cnf = { 'x5t#S256': certificate.thumbprint }
  assert.deepEqual(claimsOf(token)['cnf'], cnf)
  const reported = (await introspect(service, introspector, token)).json as Claims
  assert.deepEqual([reported['cnf'], reported['token_type'], reported['active']], [cnf, 'Bearer', true])
})
