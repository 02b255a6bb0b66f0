// Clients that nobody here wrote, unmodified: oauth4webapi, openid-client and jose.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { createRemoteJWKSet, exportJWK, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { registerKeys } from '../../../../testkit/keys/client-assertions.ts'
import { issue } from '../../../../testkit/callers/requests.ts'
import { AUDIENCE, catchUp, startServer } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const LOOPBACK = { [oauth.allowInsecureRequests]: true } as const
/** RFC 8707 §2: `resource` may be given several times. Neither is the audience of a token that asks for none. */
const RESOURCES = ['https://mail.example', 'https://orders.example/v1']
const PARAMETERS = new URLSearchParams([['scope', 'db:read'], ...RESOURCES.map(resource => ['resource', resource])])

let server: oauth.AuthorizationServer

const discover = async (algorithm: 'oauth2' | 'oidc'): Promise<oauth.AuthorizationServer> => {
  const issuer = new URL(service.baseUrl)
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...LOOPBACK, algorithm }))
}

const service = useService({ start: Date.now() })
const agent = service.agent()
const apiKey = service.apiKey('tokens:introspect')

service.before(async () => {
  server = await discover('oauth2')
})

beforeEach(() => catchUp(service))

const client = (): oauth.Client => ({ client_id: agent.clientId })

const grant = async (authentication: oauth.ClientAuth): Promise<oauth.TokenEndpointResponse> => {
  const response = await oauth.clientCredentialsGrantRequest(server, client(), authentication, PARAMETERS, LOOPBACK)
  return oauth.processClientCredentialsResponse(server, client(), response)
}

const byApiKey: oauth.ClientAuth = (_server, _client, _body, headers) => headers.set('x-api-key', apiKey.key)

const introspect = async (token: string, who: oauth.Client, authentication: oauth.ClientAuth) => {
  const response = await oauth.introspectionRequest(server, who, authentication, token, LOOPBACK)
  return oauth.processIntrospectionResponse(server, who, response)
}

test('oauth4webapi discovers the service, as OAuth and as OpenID Connect', async () => {
  for (const found of [server, await discover('oidc')]) {
    assert.equal(found.issuer, service.baseUrl)
    assert.equal(found.token_endpoint, `${service.baseUrl}/oauth/token`)
  }
})

test('openid-client discovers an issuer with a path, as OAuth and as OpenID Connect', async t => {
  const tenant = await startServer({ start: Date.now(), path: '/tenant/one' })
  t.after(() => tenant.close())
  const own = await tenant.createAgent()
  for (const algorithm of ['oauth2', 'oidc'] as const) {
    const options = { execute: [openid.allowInsecureRequests], algorithm }
    const address = new URL(tenant.baseUrl)
    const found = await openid.discovery(address, own.clientId, own.clientSecret, undefined, options)
    assert.equal((await openid.clientCredentialsGrant(found)).scope, 'db:read')
  }
})

test('oauth4webapi gets a token with client_secret_post and with client_secret_basic', async () => {
  for (const authentication of [
    oauth.ClientSecretPost(agent.clientSecret),
    oauth.ClientSecretBasic(agent.clientSecret),
  ]) {
    const { access_token: token, ...rest } = await grant(authentication)
    assert.equal(token.split('.').length, 3)
    assert.deepEqual(rest, { token_type: 'bearer', expires_in: 300, scope: 'db:read' })
  }
})

for (const alg of ['ES256', 'RS256', 'PS256', 'Ed25519']) {
  test(`oauth4webapi gets and revokes a token with private_key_jwt by ${alg}, as it finds it in the metadata`, async () => {
    const { publicKey, privateKey } = await oauth.generateKeyPair(alg, { extractable: true })
    const own = await service.createAgent()
    await registerKeys(service, own, [await exportJWK(publicKey)])
    assert.ok(server.token_endpoint_auth_methods_supported?.includes('private_key_jwt'))
    const authentication = oauth.PrivateKeyJwt(privateKey)
    const who = { client_id: own.clientId }
    const answer = await oauth.clientCredentialsGrantRequest(server, who, authentication, PARAMETERS, LOOPBACK)
    const { access_token: token, token_type } = await oauth.processClientCredentialsResponse(server, who, answer)
    assert.equal(token_type, 'bearer')
    await oauth.processRevocationResponse(await oauth.revocationRequest(server, who, authentication, token, LOOPBACK))
    const found = await introspect(token, { client_id: apiKey.id }, oauth.ClientSecretBasic(apiKey.key))
    assert.deepEqual(found, { active: false })
  })
}

test('openid-client gets a token with private_key_jwt, and with its kid', async () => {
  const { publicKey, privateKey } = await oauth.generateKeyPair('ES256', { extractable: true })
  const own = await service.createAgent()
  await registerKeys(service, own, [{ ...(await exportJWK(publicKey)), kid: 'own' }])
  for (const key of [privateKey, { key: privateKey, kid: 'own' }]) {
    const configuration = await openid.discovery(
      new URL(service.baseUrl),
      own.clientId,
      undefined,
      openid.PrivateKeyJwt(key),
      { execute: [openid.allowInsecureRequests], algorithm: 'oauth2' },
    )
    const { scope } = await openid.clientCredentialsGrant(configuration, PARAMETERS)
    assert.equal(scope, 'db:read')
  }
})

test('oauth4webapi reads a refusal and its challenge', async () => {
  await assert.rejects(grant(oauth.ClientSecretBasic('wrong')), (error: unknown) => {
    assert.ok(error instanceof oauth.WWWAuthenticateChallengeError)
    assert.equal(error.status, 401)
    assert.deepEqual(error.cause[0], { scheme: 'basic', parameters: { realm: service.baseUrl } })
    return true
  })
  const asked = oauth.clientCredentialsGrantRequest(
    server,
    client(),
    oauth.ClientSecretPost(agent.clientSecret),
    { scope: 'mail:send' },
    LOOPBACK,
  )
  const refused = asked.then(response => oauth.processClientCredentialsResponse(server, client(), response))
  await assert.rejects(refused, { error: 'invalid_scope', status: 400 })
})

test('oauth4webapi introspects with an X-API-Key client authentication and with Basic', async () => {
  const { access_token: token } = await grant(oauth.ClientSecretPost(agent.clientSecret))
  const tries: [oauth.Client, oauth.ClientAuth][] = [
    [client(), byApiKey],
    [{ client_id: apiKey.id }, oauth.ClientSecretBasic(apiKey.key)],
  ]
  for (const [who, authentication] of tries) {
    const { active, sub, aud } = await introspect(token, who, authentication)
    assert.deepEqual({ active, sub, aud }, { active: true, sub: agent.agentId, aud: RESOURCES })
    assert.deepEqual(await introspect('unknown', who, authentication), { active: false })
  }
})

test('oauth4webapi revokes with a bearer, and the token is inactive', async () => {
  const { access_token: token } = await grant(oauth.ClientSecretPost(agent.clientSecret))
  const jwt = await service.provider.operatorJwt()
  const byBearer: oauth.ClientAuth = (_server, _client, _body, headers) => headers.set('authorization', `Bearer ${jwt}`)
  await oauth.processRevocationResponse(await oauth.revocationRequest(server, client(), byBearer, token, LOOPBACK))
  assert.deepEqual(await introspect(token, client(), byApiKey), { active: false })
})

test('oauth4webapi: validateJwtAccessToken takes the token (RFC 9068)', async () => {
  const { access_token: token } = await grant(oauth.ClientSecretPost(agent.clientSecret))
  const request = new Request('https://api.example/', { headers: { authorization: `Bearer ${token}` } })
  for (const resource of RESOURCES) {
    const claims = await oauth.validateJwtAccessToken(server, request, resource, LOOPBACK)
    assert.deepEqual([claims.sub, claims.client_id, claims['scope']], [agent.agentId, agent.clientId, 'db:read'])
  }
  await assert.rejects(oauth.validateJwtAccessToken(server, request, AUDIENCE, LOOPBACK), /audience/i)
})

test('openid-client discovers, gets a token, introspects and revokes it', async () => {
  const loopback = { execute: [openid.allowInsecureRequests] }
  const address = new URL(service.baseUrl)
  for (const algorithm of ['oauth2', 'oidc'] as const) {
    const own = await openid.discovery(address, agent.clientId, agent.clientSecret, undefined, {
      ...loopback,
      algorithm,
    })
    const { access_token: token } = await openid.clientCredentialsGrant(own, PARAMETERS)
    const basic = openid.ClientSecretBasic(apiKey.key)
    const asker = await openid.discovery(address, apiKey.id, undefined, basic, { ...loopback, algorithm })
    const { active, aud } = await openid.tokenIntrospection(asker, token)
    assert.deepEqual({ active, aud }, { active: true, aud: RESOURCES })
    await openid.tokenRevocation(own, token)
    assert.deepEqual(await openid.tokenIntrospection(asker, token), { active: false })
  }
})

test("jose's remote key set verifies a token", async () => {
  const keys = createRemoteJWKSet(new URL(server.jwks_uri ?? ''))
  const token = await issue(service, agent)
  const expected = { issuer: service.baseUrl, audience: AUDIENCE, typ: 'at+jwt', algorithms: ['ES256'] }
  const { payload } = await jwtVerify(token, keys, expected)
  assert.equal(payload.sub, agent.agentId)
})
