// Access tokens that are bound to the certificate of the client's connection (RFC 8705 §3).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import { trust } from '../../../../testkit/keys/client-assertions.ts'
import {
  askBySecret,
  askShowing,
  post,
  startWithCertificates,
  tokenOf,
  type Way,
} from '../../../../testkit/callers/client-certificates.ts'
import { goodClaims, makeProof, makeProofKey } from '../../../../testkit/keys/dpop.ts'
import { CN, makeCertificate } from '../../../../testkit/keys/make-certificate.ts'
import { type Answer, assertError, assertProblem, claimsOf, introspect } from '../../../../testkit/callers/requests.ts'
import { readRow } from '../../../../testkit/stores/store-file.ts'
import type { AgentOfTest, TestServer } from '../../../../testkit/services/test-server.ts'

const HOUR_MS = 3_600_000
const HEADER = { name: 'x-cert', form: 'base64', isVerified: true, proxies: ['127.0.0.1/32'] } as const
const WANTED = 'This agent gets no token without a client certificate: make the TLS connection with one (RFC 8705).'

const certificate = makeCertificate({ subject: [[[CN, 'reports']]] })
const cnf = { 'x5t#S256': certificate.thumbprint }

let service: TestServer
let agent: AgentOfTest
let introspector: string

before(async () => {
  service = await startWithCertificates({ header: HEADER })
  agent = await service.createAgent({ certificateBound: true })
  introspector = (await service.createApiKey('tokens:introspect')).key
})

after(() => service.close())

const showing = ({ der } = certificate): Way => ({ headers: { 'x-cert': Buffer.from(der).toString('base64') } })

const issueBound = async (): Promise<string> => tokenOf(await askBySecret(service, agent, showing()))

test('the token, its introspection and the signed answer name the certificate, and it is a bearer token', async () => {
  const answer = await askBySecret(service, agent, showing())
  assert.equal((answer.json as { token_type: string }).token_type, 'Bearer')
  const token = tokenOf(answer)
  assert.deepEqual(claimsOf(token)['cnf'], cnf)
  const reported = (await introspect(service, introspector, token)).json as Readonly<Record<string, unknown>>
  assert.deepEqual([reported['active'], reported['token_type'], reported['cnf']], [true, 'Bearer', cnf])
  const headers = { 'x-api-key': introspector, accept: 'application/token-introspection+jwt' }
  const signed = await post(service, '/oauth/introspect/v2', { token }, { headers })
  assert.deepEqual(claimsOf(signed.text)['token_introspection'], reported)
})

test('such an agent gets no token without a certificate, by whichever authentication', async () => {
  assertError(await askBySecret(service, agent), 400, 'invalid_request', WANTED)
  const wrong = await askBySecret(service, { ...agent, clientSecret: 'wrong' })
  assert.deepEqual([wrong.status, (wrong.json as { error: string }).error], [401, 'invalid_client'])
})

test('a certificate that authenticates the agent is the one that its token is bound to', async () => {
  const own = await service.createAgent({ certificateBound: true })
  await trust(service, own, { tls_client_auth: { subject_dn: 'CN=reports' } })
  assert.deepEqual(claimsOf(tokenOf(await askShowing(service, own, showing())))['cnf'], cnf)
})

test('an agent that is not set so gets bearer tokens, whatever certificate it shows', async () => {
  const own = await service.createAgent()
  const token = tokenOf(await askBySecret(service, own, showing()))
  assert.equal('cnf' in claimsOf(token), false)
  assert.equal('cnf' in ((await introspect(service, introspector, token)).json as object), false)
})

test('nothing is bound to a certificate that has expired, or is not valid yet', async () => {
  const expired = makeCertificate({ notBefore: 0, notAfter: Date.now() - HOUR_MS })
  const early = makeCertificate({ notBefore: Date.now() + HOUR_MS })
  const prefix = 'No token is bound to this client certificate: the certificate'
  for (const [wrong, why] of [
    [expired, 'has expired'],
    [early, 'is not valid yet'],
  ] as const) {
    const answer = await askBySecret(service, agent, showing(wrong))
    assertError(answer, 400, 'invalid_request', `${prefix} ${why}.`)
  }
})

test('a token is bound to one key: a DPoP proof beside the certificate is refused', async () => {
  const nonceOf = ({ headers }: Answer): string => headers['dpop-nonce'] ?? ''
  const key = makeProofKey()
  const ask = (nonce: object) => {
    const dpop = makeProof(key, { claims: { ...goodClaims(service), ...nonce } })
    return askBySecret(service, agent, { headers: { ...showing().headers, dpop } })
  }
  const nonce = nonceOf(await ask({}))
  const description = 'The tokens of this agent are bound to its certificate: send no DPoP proof.'
  assertError(await ask({ nonce }), 400, 'invalid_dpop_proof', description)
})

test('a token bound to a certificate is revoked as any other, and listed as any other', async () => {
  const token = await issueBound()
  const done = await post(service, '/oauth/revoke', {
    token,
    client_id: agent.clientId,
    client_secret: agent.clientSecret,
  })
  assert.equal(done.status, 200)
  assert.deepEqual((await introspect(service, introspector, token)).json, { active: false })
})

type Changed = { readonly before: unknown; readonly after: unknown }

test('an agent is set so at its creation or by a change, which is in the audit; its tokens live on', async () => {
  const api = await makeAgentsApi(service)
  const member = 'tls_client_certificate_bound_access_tokens'
  const one = await api.create({ [member]: true, default_scope: 'db:read' })
  assert.equal(one.record[member], true)
  assertError(await askBySecret(service, one), 400, 'invalid_request', WANTED)
  assert.equal((await api.patch(one.agentId, { [member]: false }))[member], false)
  const bearer = tokenOf(await askBySecret(service, one))
  assert.equal((await api.patch(one.agentId, { [member]: true }))[member], true)
  assertError(await askBySecret(service, one), 400, 'invalid_request', WANTED)
  assert.equal(await api.isActive(bearer), true)
  const entry = `select detail from audit where kind = 'agent.change' order by n desc limit 1`
  const { before: was, after: is } = JSON.parse(String(readRow(service.storeFile, entry)['detail'])) as Changed
  assert.deepEqual([was, is], [{ [member]: false }, { [member]: true }])
})

test('an agent cannot be held to DPoP proofs and to certificates at once, at its creation or by a change', async () => {
  const description =
    'dpop_bound_access_tokens and tls_client_certificate_bound_access_tokens exclude each other: a token is bound to one key.'
  const both = { dpop_bound_access_tokens: true, tls_client_certificate_bound_access_tokens: true }
  const headers = await admin(service)
  const body = { name: 'both', scope: 'db:read', ...both }
  const made = await call(service, { method: 'POST', path: '/api/v1/agents', body }, headers)
  assertProblem(made, 400, 'invalid_request', description)
  const path = `/api/v1/agents/${agent.agentId}`
  const changed = await call(service, { method: 'PATCH', path, body: { dpop_bound_access_tokens: true } }, headers)
  assertProblem(changed, 400, 'invalid_request', description)
  assert.deepEqual(claimsOf(await issueBound())['cnf'], cnf)
})

test('requests of one group are bound each to its own certificate', async () => {
  const certificates = Array.from({ length: 8 }, () => makeCertificate())
  const answers = await Promise.all(certificates.map(one => askBySecret(service, agent, showing(one))))
  assert.deepEqual(
    answers.map(answer => claimsOf(tokenOf(answer))['cnf']),
    certificates.map(({ thumbprint }) => ({ 'x5t#S256': thumbprint })),
  )
})
