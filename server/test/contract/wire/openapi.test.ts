// GET /openapi.json and the page at /docs.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { OPERATIONS } from '../../../../api/operations.ts'
import { get } from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Operation = {
  readonly parameters?: readonly { readonly name?: string; readonly $ref?: string }[]
  readonly requestBody?: {
    readonly required?: boolean
    readonly content: Record<string, { readonly schema: { readonly properties: object } }>
  }
  readonly responses: Readonly<Record<string, unknown>>
  readonly security?: object
}
type Description = { readonly openapi: string; readonly paths: Record<string, Record<string, Operation>> }

const service = useService()

const describe = async (): Promise<Description> => (await get(service, '/openapi.json')).json as Description

test('the document holds the operations of api/, and no others', async () => {
  const { paths } = await describe()
  const served = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  )
  assert.deepEqual(served.toSorted(), OPERATIONS.map(({ route }) => route).toSorted())
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
    'subject_token',
    'subject_token_type',
    'assertion',
    'requested_token_type',
    'actor_token',
    'actor_token_type',
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
      'subject',
      'parent_id',
      'root_id',
      'credential_id',
      'kid',
      'audience',
      'owner',
      'label',
      'agent_name',
      'termination_reason',
      'ended_after',
      'ended_before',
      'ended_by',
      'revocation_id',
      'limit',
      'cursor',
    ],
  )
  assert.deepEqual(Object.keys(history?.responses ?? {}), [
    '200',
    '400',
    '401',
    '403',
    '421',
    '429',
    '431',
    '500',
    '503',
  ])
})

test('the token endpoint: the header of a proof, the nonce for the next, and the refusal of who asks too often', async () => {
  const { paths } = await describe()
  const { parameters, responses } = paths['/oauth/token']?.['post'] ?? {}
  assert.deepEqual(parameters, [{ $ref: '#/components/parameters/DPoP' }])
  assert.deepEqual(Object.keys(responses ?? {}), ['200', '400', '401', '413', '415', '421', '429', '500', '503'])
  assert.match(JSON.stringify(responses?.['200']), /"DPoP-Nonce"/)
  assert.deepEqual(responses?.['400'], { $ref: '#/components/responses/ProofError400' })
})

test('an operation of the administration: its JSON body, the id in its path, its answers and its credentials', async () => {
  const { paths } = await describe()
  const { requestBody, parameters, responses, security } = paths['/api/v1/agents/{id}']?.['patch'] ?? {}
  assert.deepEqual(Object.keys(requestBody?.content ?? {}), ['application/json'])
  assert.deepEqual(Object.keys(requestBody?.content['application/json']?.schema.properties ?? {}), [
    'name',
    'description',
    'owner',
    'labels',
    'scope',
    'default_scope',
    'resources',
    'default_audience',
    'lifetime_seconds',
    'tokens_per_minute',
    'tokens_per_day',
    'live_tokens_max',
    'at_live_tokens_max',
    'dpop_bound_access_tokens',
    'tls_client_certificate_bound_access_tokens',
    'grant_types',
    'acts_for',
    'receives',
    'issuer_clients',
    'claims',
    'expires_at',
    'dry_run',
  ])
  assert.deepEqual(
    parameters?.map(({ name }) => name),
    ['id'],
  )
  assert.deepEqual(Object.keys(responses ?? {}), [
    '200',
    '400',
    '401',
    '403',
    '404',
    '409',
    '413',
    '415',
    '421',
    '429',
    '431',
    '500',
    '503',
  ])
  assert.deepEqual(security, [{ apiKey: ['agents:write'] }, { identityProviderJwt: ['admin'] }])
  const list = paths['/api/v1/agents']?.['get']?.parameters
  assert.deepEqual(
    list?.map(({ name }) => name),
    [
      'disabled',
      'owner',
      'label',
      'grant_type',
      'agent_id',
      'client_id',
      'unused_since',
      'expires_before',
      'name',
      'name_prefix',
      'q',
      'id_prefix',
      'limit',
      'cursor',
    ],
  )
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
  assert.ok(page.text.includes('<title>Mintmark API</title>'))
  // The page puts a logo of its own in the place of Swagger's.
  const initializer = await get(service, '/docs/static/swagger-initializer.js')
  const [, logo = ''] = /img\.src = 'data:image\/svg\+xml;base64,([^']+)'/.exec(initializer.text) ?? []
  assert.match(Buffer.from(logo, 'base64').toString(), /<title>Mintmark<\/title>/)
  const { json } = await get(service, '/docs/json')
  assert.deepEqual(json, await describe())
})

test('the document names the version of the program that serves it', async () => {
  const { info } = (await get(service, '/openapi.json')).json as { info: { title: string; version: string } }
  const packageFile = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(packageFile) as { version: string }
  assert.deepEqual([info.title, info.version], ['Mintmark', version])
})
