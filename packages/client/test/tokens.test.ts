// A source of tokens against the service itself: every way to authenticate, exchange, proofs, revocation.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { exportPKCS8, generateKeyPair, exportJWK } from 'jose'
import { ACCESS_TOKEN_TYPE, CLIENT_CREDENTIALS, JWT_BEARER, TOKEN_EXCHANGE } from '../../../api/values/delegation.ts'
import { startIdentityProvider } from '../../../testkit/identity-providers/identity-provider.ts'
import { registerKeys, secondsOf, trust } from '../../../testkit/keys/client-assertions.ts'
import { exchangerOf, subjectJwt, trust as trustIssuer } from '../../../testkit/callers/subject-jwts.ts'
import { bearer, claimsOf, introspect, postForm } from '../../../testkit/callers/requests.ts'
import { type AgentOfTest, AUDIENCE, startServer, type TestServer } from '../../../testkit/services/test-server.ts'
import { TokenRefused } from '../src/tokens/token-errors.ts'
import { makeTokenSource, type TokenSourceOptions } from '../src/tokens/token-source.ts'
import type { AccessToken } from '../src/tokens/access-token.ts'

let service: TestServer
let agent: AgentOfTest
let introspector: string
let folder: string

before(async () => {
  service = await startServer()
  agent = await service.createAgent()
  introspector = (await service.createApiKey('tokens:introspect')).key
  folder = mkdtempSync(join(tmpdir(), 'mintmark-client-'))
})

after(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

const fileOf = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** Makes a source that has the clock of the service, and counts its requests. */
const makeSource = (options: Partial<TokenSourceOptions>) => {
  const requests: string[] = []
  const counting: typeof fetch = (input, init) => {
    requests.push(new URL(input instanceof Request ? input.url : input).pathname)
    return fetch(input, init)
  }
  const { clock } = service
  const world = { monotonicMs: clock.wall, wallMs: clock.wall, random: () => 0.5 }
  const source = makeTokenSource(
    { issuer: service.baseUrl, clientId: agent.clientId, fetch: counting, ...options },
    world,
  )
  return { source, requests }
}

const secret = (): Partial<TokenSourceOptions> => ({ clientSecret: agent.clientSecret })

type State = Readonly<Record<'active' | 'scope' | 'aud' | 'client_id' | 'sub' | 'act' | 'cnf' | 'token_type', unknown>>

const stateOf = async ({ value }: AccessToken): Promise<State> =>
  (await introspect(service, introspector, value)).json as State

const revoke = async ({ value }: AccessToken): Promise<void> => {
  const jwt = await service.provider.operatorJwt({ role: 'mintmark-operator' })
  assert.equal((await postForm(service, '/oauth/revoke', { token: value }, bearer(jwt))).status, 200)
}

test('a source finds the token endpoint in the metadata and gets an active token', async () => {
  const { source, requests } = makeSource({
    ...secret(),
    scopes: ['db:read', 'db:write'],
    resource: 'https://orders.example',
  })
  const token = await source.getToken()
  assert.deepEqual(requests, ['/.well-known/oauth-authorization-server', '/oauth/token'])
  const { active, scope, aud, client_id } = await stateOf(token)
  assert.deepEqual(
    [active, scope, aud, client_id],
    [true, 'db:read db:write', 'https://orders.example', agent.clientId],
  )
  assert.deepEqual([token.type, token.scope], ['Bearer', 'db:read db:write'])
  assert.equal(token.expiresAt.getTime(), service.clock.wall() + 300_000)
  assert.equal(token.authorization, `Bearer ${token.value}`)
})

test('a secret goes in the form or by HTTP Basic, from memory or from a file that is read anew', async () => {
  for (const clientSecretMethod of ['client_secret_post', 'client_secret_basic'] as const) {
    const { source } = makeSource({ ...secret(), clientSecretMethod })
    assert.equal((await stateOf(await source.getToken())).active, true)
  }
  const clientSecretFile = fileOf('secret', 'mmc_of_nobody\n')
  const { source } = makeSource({ clientSecretFile })
  await assert.rejects(source.getToken(), (error: unknown) => {
    assert.ok(error instanceof TokenRefused)
    assert.deepEqual([error.error, error.status], ['invalid_client', 401])
    return true
  })
  fileOf('secret', `${agent.clientSecret}\n`)
  service.clock.advance(1_000)
  assert.equal((await stateOf(await source.getToken())).active, true)
})

test('a private key signs an assertion: a JWK, a CryptoKey that cannot be exported, or a file of either form', async () => {
  const client = await service.createAgent()
  const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  const kept = await generateKeyPair('ES384', { extractable: false })
  const pem = await generateKeyPair('RS256', { extractable: true })
  const edwards = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const { d: _, ...publicJwk } = jwk
  const { d: __, ...publicEdwards } = edwards
  await registerKeys(service, client, [
    { ...publicJwk, kid: 'one' },
    { ...(await exportJWK(kept.publicKey)), kid: 'two' },
    { ...(await exportJWK(pem.publicKey)), kid: 'three' },
    publicEdwards,
  ])
  for (const options of [
    { privateKey: { ...jwk, kid: 'one' } },
    { privateKey: { key: kept.privateKey, kid: 'two' } },
    { privateKeyFile: fileOf('key.pem', await exportPKCS8(pem.privateKey)) },
    { privateKeyFile: fileOf('key.jwk', JSON.stringify(edwards)) },
  ] as const) {
    const { source } = makeSource({ clientId: client.clientId, ...options })
    assert.equal((await stateOf(await source.getToken())).client_id, client.clientId)
  }
})

test('a token of the platform is read anew for each token, and needs no client id', async () => {
  const platform = await startIdentityProvider({ algorithms: ['ES256'], now: service.clock.wall })
  const client = await service.createAgent()
  await trust(service, client, { workload_identity: { issuer: platform.issuer, subject: 'job:nightly' } })
  const assertion = () => {
    const iat = secondsOf(service)
    return platform.sign({ iss: platform.issuer, sub: 'job:nightly', aud: service.baseUrl, iat, exp: iat + 120 })
  }
  const workloadTokenFile = fileOf('workload', await assertion())
  const { source } = makeSource({ clientId: undefined, workloadTokenFile })
  const first = await source.getToken()
  assert.equal((await stateOf(first)).client_id, client.clientId)
  service.clock.advance(400_000) // the token of the platform has expired, and so has ours
  fileOf('workload', await assertion())
  const next = await source.getToken()
  assert.notEqual(next.value, first.value)
  assert.equal((await stateOf(next)).active, true)
  await platform.close()
})

test('a received token is exchanged for one on behalf of its subject, and both are of the same type', async () => {
  const relay = await service.createAgent({
    grantTypes: [CLIENT_CREDENTIALS, TOKEN_EXCHANGE],
    actsFor: ['*'],
    receives: [AUDIENCE],
  })
  const received = await makeSource({ ...secret(), resource: AUDIENCE }).source.getToken()
  const { clientId, clientSecret } = relay
  const { source } = makeSource({ clientId, clientSecret, subjectToken: received.value, scopes: ['db:read'] })
  const { sub, act, active } = await stateOf(await source.getToken())
  assert.deepEqual([active, sub, act], [true, agent.agentId, { sub: relay.agentId }])
  assert.equal(ACCESS_TOKEN_TYPE, 'urn:ietf:params:oauth:token-type:access_token')
})

test('a JWT of a trusted issuer is exchanged, and an assertion gets one token, for the subject that it names', async () => {
  const types = ['id_token', 'access_token', 'jwt'] as const
  await trustIssuer(service, service.provider, { alias: 'acme', token_types: [...types, 'id-jag'] })
  const grantTypes = [TOKEN_EXCHANGE, JWT_BEARER] as const
  const { agentId, clientId, clientSecret } = await service.createAgent(exchangerOf('acme', { grantTypes }))
  const options = { clientId, clientSecret, scopes: ['db:read'] }
  for (const subjectTokenType of types) {
    const subjectToken = await subjectJwt(service, service.provider, subjectTokenType)
    const { source } = makeSource({ ...options, subjectToken, subjectTokenType })
    const { active, sub, act } = await stateOf(await source.getToken())
    assert.deepEqual([active, sub, act], [true, 'acme:alice', { sub: agentId }])
  }
  const claims = { aud: service.baseUrl, scope: 'db:read' }
  let asked = 0
  const assertion = () => {
    asked += 1
    return subjectJwt(service, service.provider, 'id-jag', { claims })
  }
  const { source, requests } = makeSource({ ...options, assertion, dpop: true })
  for (const count of [1, 2]) {
    const [token, same] = await Promise.all([source.getToken(), source.getToken()])
    assert.equal(same.value, token.value)
    assert.deepEqual([(await stateOf(token)).sub, asked], ['acme:alice', count])
    source.invalidate(token)
  }
  // The first was refused for a nonce, which uses up no assertion.
  assert.equal(requests.filter(path => path === '/oauth/token').length, 3)
})

test('with dpop the token is bound to a key of the source, and the nonce that the service demands is sent', async () => {
  const { source, requests } = makeSource({ ...secret(), dpop: true })
  const token = await source.getToken()
  assert.equal(token.type, 'DPoP')
  const { cnf, token_type } = await stateOf(token)
  assert.deepEqual([typeof (cnf as { jkt: unknown }).jkt, token_type], ['string', 'DPoP'])
  assert.deepEqual(requests.filter(path => path === '/oauth/token').length, 2)
  service.clock.advance(299_000)
  const next = await source.getToken()
  assert.deepEqual((await stateOf(next)).cnf, cnf)
  assert.equal(claimsOf(next.value)['client_id'], agent.clientId)
})

test('a revoked token that is invalidated is replaced, and one that was replaced already is not', async () => {
  const { source } = makeSource(secret())
  const first = await source.getToken()
  await revoke(first)
  assert.equal((await source.getToken()).value, first.value)
  source.invalidate(first)
  const second = await source.getToken()
  assert.deepEqual([(await stateOf(first)).active, (await stateOf(second)).active], [false, true])
  source.invalidate(first.value)
  assert.equal((await source.getToken()).value, second.value)
})

test('a scope that the agent may not have is refused with the code of the service', async () => {
  const { source } = makeSource({ ...secret(), scopes: ['payments:write'] })
  await assert.rejects(source.getToken(), (error: unknown) => {
    assert.ok(error instanceof TokenRefused)
    assert.deepEqual([error.error, error.status], ['invalid_scope', 400])
    assert.match(error.message, /^The token was refused: invalid_scope \(/)
    return true
  })
})
