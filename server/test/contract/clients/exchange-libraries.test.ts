// Token exchange (RFC 8693) by clients that nobody here wrote, unmodified: oauth4webapi and openid-client.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { jwtVerify, createRemoteJWKSet } from 'jose'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { ACCESS_TOKEN_TYPE, CLIENT_CREDENTIALS, JWT_BEARER, TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { issue } from '../../../../testkit/callers/requests.ts'
import { AUDIENCE, catchUp } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const LOOPBACK = { [oauth.allowInsecureRequests]: true } as const
const ORDERS = 'https://orders.example'
const ISSUED = { token_type: 'bearer', expires_in: 240, scope: 'db:read', issued_token_type: ACCESS_TOKEN_TYPE }

const service = useService({ start: Date.now() })
const caller = service.agent()
const agent = service.agent({ grantTypes: [CLIENT_CREDENTIALS, TOKEN_EXCHANGE], actsFor: ['*'], receives: [AUDIENCE] })

beforeEach(() => catchUp(service))

const parametersOf = (token: string): Record<string, string> => ({
  subject_token: token,
  subject_token_type: ACCESS_TOKEN_TYPE,
  resource: ORDERS,
})

const assertOnBehalf = async (token: string): Promise<void> => {
  const keys = createRemoteJWKSet(new URL(`${service.baseUrl}/.well-known/jwks.json`))
  const { payload } = await jwtVerify(token, keys, { issuer: service.baseUrl, audience: ORDERS, typ: 'at+jwt' })
  assert.deepEqual([payload.sub, payload['act']], [caller.agentId, { sub: agent.agentId }])
}

const discover = async (): Promise<oauth.AuthorizationServer> => {
  const issuer = new URL(service.baseUrl)
  const found = await oauth.discoveryRequest(issuer, { ...LOOPBACK, algorithm: 'oauth2' })
  return oauth.processDiscoveryResponse(issuer, found)
}

test('oauth4webapi finds the grant in the metadata and exchanges by its generic grant, bearer and by DPoP', async () => {
  const server = await discover()
  assert.deepEqual(server.grant_types_supported, [CLIENT_CREDENTIALS, TOKEN_EXCHANGE, JWT_BEARER])
  const client: oauth.Client = { client_id: agent.clientId }
  const by = oauth.ClientSecretBasic(agent.clientSecret)
  const ask = async (options: oauth.DPoPRequestOptions) => {
    const parameters = parametersOf(await issue(service, caller))
    const sent = { ...LOOPBACK, ...options }
    const answer = await oauth.genericTokenEndpointRequest(server, client, by, TOKEN_EXCHANGE, parameters, sent)
    return oauth.processGenericTokenEndpointResponse(server, client, answer)
  }
  const { access_token: token, ...rest } = await ask({})
  assert.deepEqual(rest, ISSUED)
  await assertOnBehalf(token)
  const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'))
  // The first answer has the nonce, which the library remembers.
  await assert.rejects(ask({ DPoP }), oauth.isDPoPNonceError)
  const { token_type, access_token } = await ask({ DPoP })
  assert.equal(token_type, 'dpop')
  await assertOnBehalf(access_token)
})

test('oauth4webapi recognizes a refusal by its code', async () => {
  const server = await discover()
  const client: oauth.Client = { client_id: agent.clientId }
  const by = oauth.ClientSecretPost(agent.clientSecret)
  const parameters = parametersOf('x')
  const answer = await oauth.genericTokenEndpointRequest(server, client, by, TOKEN_EXCHANGE, parameters, LOOPBACK)
  await assert.rejects(oauth.processGenericTokenEndpointResponse(server, client, answer), (error: unknown) => {
    assert.ok(error instanceof oauth.ResponseBodyError)
    assert.deepEqual([error.status, error.error], [400, 'invalid_request'])
    return true
  })
})

test('openid-client exchanges by its generic grant', async () => {
  const options = { execute: [openid.allowInsecureRequests], algorithm: 'oauth2' as const }
  const config = await openid.discovery(
    new URL(service.baseUrl),
    agent.clientId,
    agent.clientSecret,
    undefined,
    options,
  )
  const parameters = parametersOf(await issue(service, caller))
  const { access_token: token, issued_token_type } = await openid.genericGrantRequest(
    config,
    TOKEN_EXCHANGE,
    parameters,
  )
  assert.equal(issued_token_type, ACCESS_TOKEN_TYPE)
  await assertOnBehalf(token)
})
