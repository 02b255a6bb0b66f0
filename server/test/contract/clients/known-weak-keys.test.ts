// RSA keys of CVE-2017-15361 (ROCA), whose private half others can compute: refused wherever a key of somebody else enters.
import assert from 'node:assert/strict'
import type { JWK } from 'jose'
import { after, before, test } from 'node:test'
import { operator } from '../../../../testkit/callers/administration.ts'
import {
  askAsserting,
  assertRefused,
  createTrust,
  makeAssertion,
  trust,
} from '../../../../testkit/keys/client-assertions.ts'
import {
  askBySecret,
  askShowing,
  startWithCertificates,
  tokenOf,
  type Way,
} from '../../../../testkit/callers/client-certificates.ts'
import {
  askWith,
  fetchNonce,
  goodClaims,
  makeProof,
  makeProofKey,
  type ProofKey,
  signParts,
} from '../../../../testkit/keys/dpop.ts'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'
import { CN, makeAuthority, makeCertificate, type MadeCertificate } from '../../../../testkit/keys/make-certificate.ts'
import { assertError, assertProblem, bearer, get } from '../../../../testkit/callers/requests.ts'
import { makeRocaPair } from '../../../../testkit/keys/roca-key.ts'
import type { AgentOfTest, TestServer } from '../../../../testkit/services/test-server.ts'

const WEAK = 'an RSA key that is known to be weak (ROCA, CVE-2017-15361): make another with another device or library'
const HEADER = { name: 'x-cert', form: 'base64', isVerified: true, proxies: ['127.0.0.1/32'] } as const

const pair = makeRocaPair()
const jwk = pair.publicKey.export({ format: 'jwk' }) as JWK
const key: ProofKey = { alg: 'RS256', jwk, privateKey: pair.privateKey }
const strong = makeProofKey('RS256')
const authority = makeAuthority('clients')
const certificate = makeCertificate({ subject: [[[CN, 'reports']]], keys: pair, authority })

let service: TestServer
let agent: AgentOfTest

before(async () => {
  service = await startWithCertificates({ header: HEADER })
  agent = await service.createAgent()
})

after(() => service.close())

const showing = ({ der }: MadeCertificate): Way => ({ headers: { 'x-cert': Buffer.from(der).toString('base64') } })

test('a client cannot register one, alone or beside others', async () => {
  for (const keys of [
    [jwk],
    [
      { ...strong.jwk, kid: 'a' },
      { ...jwk, kid: 'b' },
    ],
  ]) {
    const answer = await createTrust(service, agent, { private_key_jwt: { jwks: { keys } } })
    assertProblem(answer, 400, 'invalid_request', `private_key_jwt.jwks holds a key that is ${WEAK}.`)
  }
})

test('one at the address of a client verifies nothing, and the log says why; a strong one beside it does', async t => {
  const home = await startIdentityProvider()
  t.after(() => home.close())
  home.publicJwks.splice(0, Infinity, { ...jwk, kid: 'weak' }, { ...strong.jwk, kid: 'strong' })
  const own = await service.createAgent()
  await trust(service, own, { private_key_jwt: { jwks_uri: home.jwksUri } })
  const ask = (by: ProofKey, kid: string) => askAsserting(service, makeAssertion(service, own, by, { header: { kid } }))
  assertRefused(await ask(key, 'weak'))
  assert.ok(service.log().includes(`the key of the client that fits kid and alg is ${WEAK}`))
  assert.equal((await ask(strong, 'strong')).status, 200)
})

test('one of an identity provider names no operator, and a strong one beside it does', async () => {
  const { provider } = service
  provider.publicJwks.push({ ...jwk, kid: 'weak' })
  service.clock.advance(16_000)
  const now = Math.floor(service.clock.wall() / 1000)
  const claims = { iss: provider.issuer, aud: provider.audience, sub: 'a', iat: now, exp: now + 60, roles: [] }
  const jwt = signParts(key, JSON.stringify({ alg: 'RS256', kid: 'weak' }), JSON.stringify(claims))
  assert.equal((await get(service, '/api/v1/tokens', bearer(jwt))).status, 401)
  assert.ok(service.log().includes(`the key of the provider that fits kid and alg is ${WEAK}`))
  assert.equal((await get(service, '/api/v1/tokens', await operator(service, 'viewer'))).status, 200)
})

test('a DPoP proof by one is refused', async () => {
  const nonce = await fetchNonce(service, agent)
  const proof = makeProof(key, { claims: { ...goodClaims(service), nonce } })
  const description = `The DPoP proof was refused: jwk is ${WEAK}.`
  assertError(await askWith(service, agent, proof), 400, 'invalid_dpop_proof', description)
})

test('a certificate of one cannot be pinned, authenticates nobody, and no token is bound to it', async () => {
  const pinned = await createTrust(service, agent, {
    self_signed_tls_client_auth: { certificates: [certificate.cert] },
  })
  const member = 'self_signed_tls_client_auth.certificates'
  assertProblem(pinned, 400, 'invalid_request', `${member} holds a certificate whose key is ${WEAK}.`)
  const named = await service.createAgent()
  await trust(service, named, { tls_client_auth: { subject_dn: 'CN=reports' } })
  assertRefused(await askShowing(service, named, showing(certificate)))
  assert.ok(service.log().includes(`the key of the certificate is ${WEAK}`))
  const good = makeCertificate({ subject: [[[CN, 'reports']]], authority })
  assert.notEqual(tokenOf(await askShowing(service, named, showing(good))), '')
  const bound = await service.createAgent({ certificateBound: true })
  const description = `No token is bound to this client certificate: the key of the certificate is ${WEAK}.`
  assertError(await askBySecret(service, bound, showing(certificate)), 400, 'invalid_request', description)
})
