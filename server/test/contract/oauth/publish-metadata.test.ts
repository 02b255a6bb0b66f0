// GET /.well-known/oauth-authorization-server and its twin of OpenID Connect.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, get, send } from '../../../../testkit/callers/requests.ts'
import { startServer } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const ASSERTION_ALGORITHMS = ['ES256', 'ES384', 'Ed25519', 'EdDSA', 'RS256', 'PS256']

const OAUTH = '/.well-known/oauth-authorization-server'
const OPENID = '/.well-known/openid-configuration'

const service = useService()

const documentOf = (baseUrl: string) => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}/oauth/authorize`,
  token_endpoint: `${baseUrl}/oauth/token`,
  introspection_endpoint: `${baseUrl}/oauth/introspect/v2`,
  revocation_endpoint: `${baseUrl}/oauth/revoke`,
  global_token_revocation_endpoint: `${baseUrl}/oauth/global-token-revocation`,
  revocation_feed_endpoint: `${baseUrl}/oauth/revocation-feed`,
  jwks_uri: `${baseUrl}/.well-known/jwks.json`,
  service_documentation: `${baseUrl}/docs`,
  grant_types_supported: [
    'client_credentials',
    'urn:ietf:params:oauth:grant-type:token-exchange',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
  ],
  authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
  response_types_supported: ['none'],
  token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'private_key_jwt'],
  token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
  introspection_endpoint_auth_methods_supported: ['client_secret_basic'],
  introspection_signing_alg_values_supported: ['ES256'],
  revocation_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'private_key_jwt'],
  revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
  dpop_signing_alg_values_supported: ['ES256', 'Ed25519', 'EdDSA', 'RS256', 'PS256'],
  code_challenge_methods_supported: ['S256'],
})

const openidDocumentOf = (baseUrl: string) => ({
  ...documentOf(baseUrl),
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
})

test('issuer exactly as configured, the endpoints, and what clients demand beyond them', async () => {
  const answer = await get(service, OAUTH)
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.json, documentOf(service.baseUrl))
  assert.equal(answer.headers['cache-control'], 'public, max-age=300')
  assert.equal(answer.headers['access-control-allow-origin'], '*')
})

test('the same document at /.well-known/openid-configuration, with what Spring needs', async () => {
  assert.deepEqual((await get(service, OPENID)).json, openidDocumentOf(service.baseUrl))
})

test('the issuer is never derived from the Host header', async () => {
  const answer = await get(service, OAUTH, { host: 'evil.example', 'x-forwarded-host': 'evil.example' })
  assert.equal((answer.json as { issuer: string }).issuer, service.baseUrl)
})

test('never 406: Java asks for text/html first', async () => {
  for (const accept of ['text/html, image/gif, image/jpeg, */*; q=.2', 'text/html', 'application/xml']) {
    const answer = await get(service, OAUTH, { accept })
    assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'application/json; charset=utf-8'])
  }
})

test('CORS *: a preflight is answered 204', async () => {
  for (const path of [OAUTH, OPENID]) {
    const answer = await send(service, { method: 'OPTIONS', path, headers: { origin: 'https://app.example' } })
    assert.deepEqual([answer.status, answer.headers['access-control-allow-origin']], [204, '*'])
  }
})

test('authorization_endpoint: an address that answers with a clear OAuth error', async () => {
  const query = '?response_type=code&client_id=x&redirect_uri=https%3A%2F%2Fapp.example&scope=db%3Aread&state=1'
  const description = 'This service has no authorization flow: get a token with grant_type=client_credentials.'
  for (const path of ['/oauth/authorize', `/oauth/authorize${query}`]) {
    assertError(await get(service, path), 400, 'unsupported_response_type', description)
  }
})

test('scopes_supported only where an operator has configured it', async () => {
  const other = await startServer({ config: { scopesSupported: ['db:read', 'db:write'] } })
  try {
    const { json } = await get(other, OAUTH)
    assert.deepEqual(json, { ...documentOf(other.baseUrl), scopes_supported: ['db:read', 'db:write'] })
  } finally {
    await other.close()
  }
})

test('with a path in the base URL, both the inserted form and the appended one; every route lies below it', async () => {
  const other = await startServer({ path: '/tenant/one' })
  try {
    for (const [name, document] of [
      [OAUTH, documentOf(other.baseUrl)],
      [OPENID, openidDocumentOf(other.baseUrl)],
    ] as const) {
      assert.deepEqual((await get(other, `@${name}/tenant/one`)).json, document)
      assert.deepEqual((await get(other, `@/tenant/one${name}`)).json, document)
      assert.equal((await get(other, `@${name}`)).status, 404)
    }
    assert.equal((await get(other, '@/.well-known/jwks.json')).status, 404)
    for (const path of ['/.well-known/jwks.json', '/livez', '/readyz', '/openapi.json', '/docs']) {
      assert.equal((await get(other, path)).status, 200, path)
    }
    assert.equal((await get(other, '/api/v1/tokens')).headers['content-type'], 'application/problem+json')
    const { json } = await get(other, '/openapi.json')
    const { paths, servers } = json as { paths: object; servers: unknown }
    assert.ok('/oauth/token' in paths)
    assert.deepEqual(servers, [{ url: other.baseUrl }])
  } finally {
    await other.close()
  }
})
