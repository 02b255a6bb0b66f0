// GET /openapi.json and the page at /docs.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { get } from '../support/requests.ts'
import { startServer, type TestServer } from '../support/test-server.ts'

type Operation = {
  readonly parameters?: readonly { readonly name: string }[]
  readonly requestBody?: {
    readonly required?: boolean
    readonly content: Record<string, { readonly schema: { readonly properties: object } }>
  }
  readonly responses: object
  readonly security?: object
}
type Description = { readonly openapi: string; readonly paths: Record<string, Record<string, Operation>> }

let service: TestServer

before(async () => {
  service = await startServer()
})

after(() => service.close())

const describe = async (): Promise<Description> => (await get(service, '/openapi.json')).json as Description

test('an OpenAPI 3.1 document that names the six operations, the administration, the metadata and the probes', async () => {
  const { openapi, paths } = await describe()
  assert.equal(openapi, '3.1.0')
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method} ${path}`),
  )
  assert.deepEqual(operations.toSorted(), [
    'delete /api/v1/agents/{id}',
    'get /.well-known/jwks.json',
    'get /.well-known/oauth-authorization-server',
    'get /.well-known/openid-configuration',
    'get /api/v1/agents',
    'get /api/v1/agents/{agent_id}/credentials',
    'get /api/v1/agents/{agent_id}/credentials/{credential_id}',
    'get /api/v1/agents/{id}',
    'get /api/v1/api-keys',
    'get /api/v1/api-keys/{api_key_id}',
    'get /api/v1/audit',
    'get /api/v1/audit/refusals',
    'get /api/v1/exports/audit',
    'get /api/v1/exports/history',
    'get /api/v1/exports/tokens',
    'get /api/v1/revocations/{id}',
    'get /api/v1/tokens',
    'get /api/v1/tokens/history',
    'get /api/v1/tokens/{id}',
    'get /livez',
    'get /readyz',
    'patch /api/v1/agents/{id}',
    'post /api/v1/agents',
    'post /api/v1/agents/{agent_id}/credentials',
    'post /api/v1/agents/{agent_id}/credentials/{credential_id}/revoke',
    'post /api/v1/agents/{agent_id}/credentials/{credential_id}/rotate',
    'post /api/v1/agents/{id}/disable',
    'post /api/v1/agents/{id}/enable',
    'post /api/v1/api-keys',
    'post /api/v1/api-keys/{api_key_id}/revoke',
    'post /api/v1/api-keys/{api_key_id}/rotate',
    'post /api/v1/imports',
    'post /api/v1/leaked-secrets',
    'post /api/v1/revocations',
    'post /api/v1/tokens/{id}/revoke',
    'post /oauth/introspect/v2',
    'post /oauth/revoke',
    'post /oauth/token',
  ])
})

test('the document shows the fields that the routes parse', async () => {
  const { paths } = await describe()
  const form = paths['/oauth/token']?.['post']?.requestBody?.content['application/x-www-form-urlencoded']
  assert.deepEqual(Object.keys(form?.schema.properties ?? {}), [
    'grant_type',
    'client_id',
    'client_secret',
    'client_assertion',
    'client_assertion_type',
    'scope',
    'resource',
    'audience',
  ])
  const history = paths['/api/v1/tokens/history']?.['get']
  assert.deepEqual(
    history?.parameters?.map(({ name }) => name),
    [
      'agent_id',
      'client_id',
      'scope',
      'issued_after',
      'issued_before',
      'limit',
      'cursor',
      'termination_reason',
      'ended_after',
      'ended_before',
    ],
  )
  assert.deepEqual(Object.keys(history?.responses ?? {}), ['200', '4XX', '5XX'])
})

test('an operation of the administration: its JSON body, the id in its path, its answers and its credentials', async () => {
  const { paths } = await describe()
  const { requestBody, parameters, responses, security } = paths['/api/v1/agents/{id}']?.['patch'] ?? {}
  assert.deepEqual(Object.keys(requestBody?.content ?? {}), ['application/json'])
  assert.deepEqual(Object.keys(requestBody?.content['application/json']?.schema.properties ?? {}), [
    'name',
    'scope',
    'description',
    'owner',
    'default_scope',
    'resources',
    'default_audience',
    'lifetime_seconds',
    'tokens_per_minute',
    'tokens_per_day',
    'live_tokens_max',
    'at_live_tokens_max',
    'dpop_bound_access_tokens',
    'labels',
  ])
  assert.deepEqual(
    parameters?.map(({ name }) => name),
    ['id'],
  )
  assert.deepEqual(Object.keys(responses ?? {}), ['200', '4XX', '5XX'])
  assert.deepEqual(security, [{ apiKey: [] }, { identityProviderJwt: [] }])
  const list = paths['/api/v1/agents']?.['get']?.parameters
  assert.deepEqual(
    list?.map(({ name }) => name),
    ['disabled', 'owner', 'label', 'name_prefix', 'q', 'limit', 'cursor'],
  )
  assert.deepEqual(Object.keys(paths['/api/v1/agents']?.['post']?.responses ?? {}), ['201', '4XX', '5XX'])
  assert.deepEqual(Object.keys(paths['/api/v1/agents/{id}']?.['delete']?.responses ?? {}), ['204', '4XX', '5XX'])
})

test('a body that may be left out is not called required, and any other is', async () => {
  const { paths } = await describe()
  const isRequired = (path: string): unknown => paths[path]?.['post']?.requestBody?.required
  assert.equal(isRequired('/api/v1/tokens/{id}/revoke'), false)
  assert.equal(isRequired('/api/v1/revocations'), true)
})

test('an introspection is answered in JSON or, where Accept asks for it, as a signed JWT', async () => {
  const { paths } = await describe()
  const { responses = {} } = paths['/oauth/introspect/v2']?.['post'] ?? {}
  const { content } =
    (responses as Record<string, { content: Record<string, { schema: { type: string } }> }>)['200'] ?? {}
  const types = Object.entries(content ?? {}).map(([mediaType, { schema }]) => [mediaType, schema.type])
  assert.deepEqual(types, [
    ['application/json', 'object'],
    ['application/token-introspection+jwt', 'string'],
  ])
})

test('a page at /docs from our own origin, which may load nothing from elsewhere', async () => {
  const page = await get(service, '/docs')
  assert.equal(page.status, 200)
  assert.match(page.headers['content-security-policy'] ?? '', /^default-src 'none'; script-src 'self'; /)
  const parts = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address)
  assert.ok(parts.length > 3)
  for (const part of parts) {
    assert.match(part, /^\/docs\/static\//)
    assert.equal((await get(service, part)).status, 200, part)
  }
  const { json } = await get(service, '/docs/json')
  assert.deepEqual(json, await describe())
})
