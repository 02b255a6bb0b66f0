// mintmark import and POST /api/v1/imports: what becomes of each client of an export.
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { admin } from '../../../../testkit/callers/administration.ts'
import { hydraRow, keycloakClient } from '../../../../testkit/callers/foreign-exports.ts'
import { type Imports, importsInto, NOTHING, pbkdf2Hash, reasons } from '../../../../testkit/callers/imports.ts'
import { askToken, get } from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const SECRET = 'uWk2mPq8ZtYvB4nXcR7sJdF9hLgA3eTo'
const HASH = pbkdf2Hash('a secret of another server', 10)

const service = useService()
let imports: Imports

service.before(async () => {
  imports = importsInto(service)
})
afterEach(() => assert.ok(!service.log().includes(SECRET) && !service.log().includes(HASH)))

test('a client of a realm export is an agent with its id, name, scopes, lifetime and secret', async () => {
  const client = keycloakClient('orders-service', {
    name: 'Orders',
    description: 'Reads orders at night',
    attributes: { 'access.token.lifespan': '600', 'client.secret.expiration.time': '4102444800' },
  })
  const data = await imports.fromKeycloak(client)
  const agentId = data[0]?.agent_id ?? ''
  assert.deepEqual(data, [
    {
      ...NOTHING,
      client_id: 'orders-service',
      outcome: 'imported',
      agent_id: agentId,
      name: 'Orders',
      secret: 'kept',
      scope: 'db:read db:write',
      default_scope: 'db:read',
      scopes_left_out: [
        'web-origins',
        'acr',
        'profile',
        'roles',
        'email',
        'address',
        'phone',
        'offline_access',
        'microprofile-jwt',
      ],
    },
  ])
  const shown = (await get(service, `/api/v1/agents/${agentId}`, await admin(service))).json as Record<string, unknown>
  assert.equal(shown['client_id'], 'orders-service')
  assert.equal(shown['description'], 'Reads orders at night')
  assert.equal(shown['lifetime_seconds'], 600)
  const { json } = await get(service, `/api/v1/agents/${agentId}/credentials`, await admin(service))
  const [credential] = (json as { data: readonly Record<string, unknown>[] }).data
  assert.equal(credential?.['expires_at'], '2100-01-01T00:00:00.000Z')
})

test('a client that could get no token there by the client-credentials grant with a secret is skipped', async () => {
  const outcomes = await imports.fromKeycloak(
    keycloakClient('saml', { protocol: 'saml' }),
    keycloakClient('public', { publicClient: true }),
    keycloakClient('bearer', { bearerOnly: true }),
    keycloakClient('browser', { serviceAccountsEnabled: false }),
    keycloakClient('jwt', { clientAuthenticatorType: 'client-jwt', secret: undefined }),
    { clientId: 'account', publicClient: null },
  )
  assert.deepEqual(reasons(outcomes), {
    saml: 'other_protocol',
    public: 'public_client',
    bearer: 'bearer_only',
    browser: 'no_client_credentials',
    jwt: 'other_authentication',
    account: 'no_client_credentials',
  })
  assert.ok(outcomes.every(({ outcome, description }) => outcome === 'skipped' && typeof description === 'string'))
  const hydra = await imports.fromHydra(
    hydraRow('code', { grant_types: ['authorization_code', 'refresh_token'] }),
    hydraRow('none', { token_endpoint_auth_method: 'none' }),
    hydraRow('key', { token_endpoint_auth_method: 'private_key_jwt' }),
    hydraRow('default', { grant_types: null }),
  )
  assert.deepEqual(reasons(hydra), {
    code: 'no_client_credentials',
    none: 'public_client',
    key: 'other_authentication',
    default: 'no_client_credentials',
  })
})

test('a secret that the export does not hold is made anew and shown once: masked, absent, in a vault or a variable', async () => {
  const masks = ['**********', '', undefined, null, '${vault.orders}', '$(env:SECRET)']
  const outcomes = await imports.fromKeycloak(...masks.map((secret, n) => keycloakClient(`masked-${n}`, { secret })))
  for (const { secret, client_secret, client_id, agent_id } of outcomes) {
    assert.equal(secret, 'new')
    const agent = { agentId: agent_id, clientId: String(client_id), clientSecret: client_secret }
    assert.equal((await askToken(service, agent)).status, 200)
  }
  const hydra = await imports.importing({
    source: 'hydra',
    document: { items: [{ client_id: 'admin-api', grant_types: ['client_credentials'], scope: 'db:read' }] },
  })
  assert.equal(hydra[0]?.['secret'], 'new')
  assert.match(hydra[0].client_secret, /^mmc_/)
})

test('rows of Hydra are agents with their audiences, owner and lifetime, in every spelling of lists and durations', async () => {
  const lists = { grant_types: '["client_credentials"]', audience: '["https://a.example","not a uri"]' }
  const outcomes = await imports.fromHydra(
    hydraRow('json', { ...lists, owner: 'data team', client_credentials_grant_access_token_lifespan: 3.6e12 }),
    hydraRow('piped', {
      grant_types: 'authorization_code|client_credentials',
      audience: 'https://b.example',
      client_credentials_grant_access_token_lifespan: '1h0m0s',
      client_secret: HASH,
    }),
    { ...hydraRow('ignored'), client_id: 'named-so', client_name: 'Named' },
  )
  const shown = outcomes.map(one => [one['client_id'], one['secret'], one['resources'], one['audiences_left_out']])
  assert.deepEqual(shown, [
    ['json', 'new', ['https://a.example'], ['not a uri']],
    ['piped', 'converted_at_first_use', ['https://b.example'], []],
    ['named-so', 'new', ['https://api.example'], []],
  ])
  assert.deepEqual(outcomes[0]?.['scopes_left_out'], ['offline'])
  for (const one of outcomes.slice(0, 2)) {
    const { json } = await get(service, `/api/v1/agents/${one.agent_id}`, await admin(service))
    assert.equal((json as Record<string, unknown>)['lifetime_seconds'], 3600)
  }
})

test('what cannot be an agent here is refused with its reason, and the others are imported', async () => {
  const long = (text: string) => text.repeat(60)
  const outcomes = await imports.fromKeycloak(
    keycloakClient('short', { secret: 'x'.repeat(19) }),
    keycloakClient('enough', { secret: 'x'.repeat(20) }),
    keycloakClient('longest', { secret: 'x'.repeat(1024) }),
    keycloakClient('too-long', { secret: 'x'.repeat(1025) }),
    keycloakClient(' spaced'),
    keycloakClient('ünïcode'),
    keycloakClient(long('five!')),
    keycloakClient('twice'),
    keycloakClient('twice', { secret: `${SECRET}2` }),
    keycloakClient('no-scope', { defaultClientScopes: ['profile'], optionalClientScopes: null }),
    keycloakClient('scopes', { defaultClientScopes: Array.from({ length: 17 }, (_, n) => `db:${n}`) }),
    keycloakClient('lifetime', { attributes: { 'access.token.lifespan': '86401' } }),
    keycloakClient('expired', { attributes: { 'client.secret.expiration.time': '1500000000' } }),
    keycloakClient('when', { attributes: { 'client.secret.expiration.time': 'tomorrow' } }),
    keycloakClient('a'.repeat(101)),
    keycloakClient('lasts', { attributes: { 'access.token.lifespan': '-1', 'client.secret.expiration.time': '0' } }),
  )
  assert.deepEqual(
    outcomes.map(one => one['reason'] ?? one['outcome']),
    [
      'secret_too_short',
      'imported',
      'imported',
      'secret_too_long',
      'client_id_malformed',
      'client_id_malformed',
      'client_id_malformed',
      'imported',
      'client_id_repeated',
      'no_scope',
      'too_many_scopes',
      'lifetime_out_of_range',
      'secret_expired',
      'secret_expired',
      'name_malformed',
      'imported',
    ],
  )
})

test('hashes that cannot be verified, or only at too high a cost, are refused', async () => {
  const tail = 'N9qo8uLOickgx2ZMRZoMyekIwqXL62qEl9V/2sSfHDsc3a3r7/WEi'
  const [, , , salt = '', key = ''] = HASH.split('$')
  const hashes: Readonly<Record<string, string>> = {
    [`$2b$13$${tail}`]: 'imported',
    [`$2b$14$${tail}`]: 'hash_too_costly',
    [`$2b$03$${tail}`]: 'hash_unknown',
    [`$2x$10$${tail}`]: 'hash_unknown',
    [`$2b$10$${tail}x`]: 'hash_unknown',
    '$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaA': 'hash_unknown',
    [`$pbkdf2-sha256$i=1000000,l=32$${salt}$${key}`]: 'imported',
    [`$pbkdf2-sha256$i=1000001,l=32$${salt}$${key}`]: 'hash_too_costly',
    [`$pbkdf2-sha256$i=99999999999,l=32$${salt}$${key}`]: 'hash_unknown',
    [`$pbkdf2-sha256$i=10,l=31$${salt}$${key}`]: 'hash_unknown',
    [`$pbkdf2-sha1$i=10,l=32$${salt}$${key}`]: 'hash_unknown',
    [`$pbkdf2-sha256$i=10,l=32$${salt}==$${key}`]: 'hash_unknown',
    [`$pbkdf2-sha256$i=10,l=32$${salt}$${key.slice(0, -1)}B`]: 'hash_unknown',
    'plain text of twenty characters and more': 'imported',
  }
  const outcomes = await imports.fromHydra(
    ...Object.keys(hashes).map((hash, n) => hydraRow(`hash-${n}`, { client_secret: hash })),
  )
  assert.deepEqual(
    outcomes.map(one => one['reason'] ?? one['outcome']),
    Object.values(hashes),
  )
})

test('the caller says what scopes stand for, and gives scope, default scope and resources to those without', async () => {
  const settings = {
    source: 'keycloak' as const,
    scope: ['files:*'],
    defaultScope: ['db:read', 'files:read'],
    scopeMap: new Map([
      ['reader', ['db:read', 'db:list']],
      ['db:write', ['db:*']],
    ]),
    resources: ['https://files.example'],
  }
  const bare = { defaultClientScopes: ['profile'], optionalClientScopes: [] }
  const document = [
    keycloakClient('mapped', { defaultClientScopes: ['reader'], optionalClientScopes: ['db:write', 'x'] }),
    keycloakClient('bare', bare),
    keycloakClient('own', { defaultClientScopes: [], optionalClientScopes: ['db:read', 'db:*'] }),
  ]
  const outcomes = await imports.importing({ ...settings, document })
  assert.deepEqual(
    outcomes.map(one => [one['scope'], one['default_scope'], one['resources'], one['scopes_left_out']]),
    [
      ['db:* db:list db:read', 'db:list db:read', settings.resources, ['x']],
      ['files:*', 'files:read', settings.resources, ['profile']],
      ['db:read', 'db:read', settings.resources, ['db:*']],
    ],
  )
})
