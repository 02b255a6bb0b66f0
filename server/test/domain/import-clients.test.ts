// Clients of other servers as they are read: each member of an export, absent, empty, odd, and whole.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOrNull } from '../../src/domain/import/foreign-client.ts'
import { BCRYPT_COST_MAX, parsePbkdf2, PBKDF2_ROUNDS_MAX, secretFormOf } from '../../src/domain/import/foreign-hash.ts'
import { readHydraClient } from '../../src/domain/import/hydra-client.ts'
import { readKeycloakClient } from '../../src/domain/import/keycloak-client.ts'

/** That of a client which is imported. */
const skip = null

const KEYCLOAK = { clientId: 'billing', serviceAccountsEnabled: true, secret: 'a secret of twenty characters' }
const HYDRA = {
  client_id: 'billing',
  grant_types: ['client_credentials'],
  client_secret: 'a secret of twenty characters',
}
const SECRET = { form: 'secret', text: 'a secret of twenty characters' }
const BCRYPT = `$2b$10$${'a'.repeat(53)}`
/** 32 bytes of zeros, and 16, in base64 without padding. */
const [KEY, SALT] = ['A'.repeat(43), 'A'.repeat(22)]
const pbkdf2 = (iterations: number | string, digest = 'sha256', length: number | string = 32, key = KEY): string =>
  `$pbkdf2-${digest}$i=${iterations},l=${length}$${SALT}$${key}`

test('a text without anything but spaces is none', () => {
  assert.deepEqual([undefined, null, '', '  ', ' a b '].map(textOrNull), [null, null, null, null, 'a b'])
})

test('a client of Keycloak is read with what it has', () => {
  assert.deepEqual(readKeycloakClient(KEYCLOAK), {
    clientId: 'billing',
    skip,
    name: null,
    description: null,
    owner: null,
    isDisabled: false,
    secret: SECRET,
    secretExpiresAt: null,
    defaultScopes: [],
    optionalScopes: [],
    audiences: [],
    lifetimeSeconds: null,
  })
  const attributes = { 'access.token.lifespan': '600', 'client.secret.expiration.time': '1700000000' }
  const whole = readKeycloakClient({
    ...KEYCLOAK,
    name: ' Billing ',
    description: ' Sends bills ',
    enabled: false,
    defaultClientScopes: ['a:b'],
    optionalClientScopes: ['c:d'],
    attributes,
  })
  assert.deepEqual(
    [whole.name, whole.description, whole.isDisabled, whole.defaultScopes, whole.optionalScopes],
    ['Billing', 'Sends bills', true, ['a:b'], ['c:d']],
  )
  assert.deepEqual([whole.secretExpiresAt, whole.lifetimeSeconds], [1_700_000_000_000, 600])
})

test('a client of Keycloak that could not use a secret there is skipped, by the first reason', () => {
  const skips = [
    { protocol: 'saml', publicClient: true },
    { protocol: 'openid-connect', publicClient: true, bearerOnly: true },
    { bearerOnly: true, serviceAccountsEnabled: false },
    { serviceAccountsEnabled: false },
    { serviceAccountsEnabled: null },
    { clientAuthenticatorType: 'client-jwt' },
    { clientAuthenticatorType: 'client-secret', publicClient: false, bearerOnly: null, protocol: null },
  ].map(members => readKeycloakClient({ ...KEYCLOAK, ...members }).skip)
  assert.deepEqual(skips, [
    'other_protocol',
    'public_client',
    'bearer_only',
    'no_client_credentials',
    'no_client_credentials',
    'other_authentication',
    null,
  ])
})

test('what stands in the place of a secret of Keycloak is none', () => {
  const none = [null, undefined, '', '*', '**********', '${vault.billing}', '$(env:SECRET)', '${}']
  for (const secret of none) assert.equal(readKeycloakClient({ ...KEYCLOAK, secret }).secret, null, String(secret))
  for (const secret of ['*a', 'a*', 'x${vault}', '${vault}x', 'x$(env)', '$(env)x', '$x', '$2a$10$aaaa']) {
    assert.deepEqual(readKeycloakClient({ ...KEYCLOAK, secret }).secret, { form: 'secret', text: secret })
  }
})

test('seconds of Keycloak are a text of digits; what means none is null, anything else no number', () => {
  const lifetimeOf = (text: string | null) =>
    readKeycloakClient({ ...KEYCLOAK, attributes: { 'access.token.lifespan': text } }).lifetimeSeconds
  const texts = ['-1', '0', '', ' ', null, '1', ' 10 ', '999999999999']
  assert.deepEqual(texts.map(lifetimeOf), [null, null, null, null, null, 1, 10, 999_999_999_999])
  for (const text of ['-2', '00x', '1.5', 'x1', '1x', '1000000000000', '-10', '10 0']) {
    assert.ok(Number.isNaN(lifetimeOf(text)), text)
  }
  assert.equal(readKeycloakClient({ ...KEYCLOAK, attributes: null }).lifetimeSeconds, null)
})

test('a client of Hydra is read with what it has, from a row or from the admin API', () => {
  const read = {
    clientId: 'billing',
    skip,
    name: null,
    description: null,
    owner: null,
    isDisabled: false,
    secret: SECRET,
    secretExpiresAt: null,
    defaultScopes: [],
    optionalScopes: [],
    audiences: [],
    lifetimeSeconds: null,
  }
  assert.deepEqual(readHydraClient(HYDRA), read)
  assert.deepEqual(readHydraClient({ ...HYDRA, id: 'a row' }), read)
  assert.equal(readHydraClient({ grant_types: HYDRA.grant_types, id: 'a row' }).clientId, 'a row')
  const empty = { ...read, clientId: '', ...Object.fromEntries([['skip', 'no_client_credentials']]), secret: null }
  assert.deepEqual(readHydraClient({}), empty)
  const whole = readHydraClient({
    ...HYDRA,
    client_name: ' Billing ',
    owner: ' team ',
    client_secret: BCRYPT,
    client_secret_expires_at: 1_700_000_000,
    scope: 'a:b  c:d ',
    audience: '["https://a.example",1,"https://b.example"]',
  })
  assert.deepEqual([whole.name, whole.owner, whole.secretExpiresAt], ['Billing', 'team', 1_700_000_000_000])
  assert.deepEqual(whole.secret, { form: 'hash', text: BCRYPT })
  assert.deepEqual(whole.optionalScopes, ['a:b', 'c:d'])
  assert.deepEqual(whole.audiences, ['https://a.example', 'https://b.example'])
  assert.equal(readHydraClient({ ...HYDRA, client_secret: '' }).secret, null)
  assert.equal(readHydraClient({ ...HYDRA, client_secret_expires_at: 0 }).secretExpiresAt, null)
})

test('lists of Hydra are arrays, JSON, or joined by bars', () => {
  const audiencesOf = (audience: string | readonly string[] | null) => readHydraClient({ ...HYDRA, audience }).audiences
  assert.deepEqual(audiencesOf(null), [])
  assert.deepEqual(audiencesOf(['a', 'b']), ['a', 'b'])
  assert.deepEqual(audiencesOf('a|b||c|'), ['a', 'b', 'c'])
  assert.deepEqual(audiencesOf('[not JSON'), [])
  assert.deepEqual(audiencesOf('["a",{"b":1},null]'), ['a'])
  assert.deepEqual(audiencesOf('a["b"]'), ['a["b"]'])
})

test('a client of Hydra that could not use a secret there is skipped, by the first reason', () => {
  const skipOf = (members: object) => readHydraClient({ ...HYDRA, ...members }).skip
  assert.equal(skipOf({ token_endpoint_auth_method: 'none', grant_types: null }), 'public_client')
  assert.equal(skipOf({ grant_types: ['authorization_code'] }), 'no_client_credentials')
  assert.equal(skipOf({ grant_types: 'authorization_code|client_credentials' }), null)
  for (const method of ['', 'client_secret_basic', 'client_secret_post', null]) {
    assert.equal(skipOf({ token_endpoint_auth_method: method }), null)
  }
  for (const method of ['private_key_jwt', 'client_secret']) {
    assert.equal(skipOf({ token_endpoint_auth_method: method }), 'other_authentication')
  }
})

test('lifetimes of Hydra are nanoseconds or a duration', () => {
  const lifetimeOf = (lifespan: number | string | null) =>
    readHydraClient({ ...HYDRA, client_credentials_grant_access_token_lifespan: lifespan }).lifetimeSeconds
  assert.deepEqual([null, '', 0, 6e11, '600000000000'].map(lifetimeOf), [null, null, 0, 600, 600])
  assert.deepEqual(['1h0m0s', '1h30m', '90s', '1.5m', '0s'].map(lifetimeOf), [3600, 5400, 90, 90, 0])
  const small = ['1500ms', '2000000us', '2000000µs', '2000000000ns'].map(lifetimeOf)
  assert.deepEqual(
    small.map(seconds => Number(seconds?.toFixed(6))),
    [1.5, 2, 2, 2],
  )
  for (const text of ['x', '-1h', '1', '1d', '1h ', ' 1h', '1h2', 'h', '1.h', '.5h', '1x1h', '12a']) {
    const isCount = /^\d+$/.test(text)
    assert.equal(Number.isNaN(lifetimeOf(text)), !isCount, text)
  }
})

test('a hash is known by its form, and one that costs too much is not verified', () => {
  const forms = (texts: readonly string[]) => texts.map(secretFormOf)
  assert.deepEqual(
    forms(['secret', '', '$', '$2b', '$2B$10$x', 'x$2b$10$x', '$a_b$', '$-a$x']),
    Array(8).fill('secret'),
  )
  assert.deepEqual(forms([BCRYPT, BCRYPT.replace('2b', '2a'), BCRYPT.replace('2b', '2y')]), ['hash', 'hash', 'hash'])
  assert.deepEqual(
    forms([
      `$2b$04$${'a'.repeat(53)}`,
      `$2b$${BCRYPT_COST_MAX}$${'a'.repeat(53)}`,
      `$2b$${BCRYPT_COST_MAX + 1}$${'a'.repeat(53)}`,
    ]),
    ['hash', 'hash', 'hash_too_costly'],
  )
  const unknown = [
    '$argon2id$v=19$m=1$x',
    '$2x$10$aaaa',
    `$2b$03$${'a'.repeat(53)}`,
    BCRYPT.slice(0, -1),
    `${BCRYPT}a`,
    `${BCRYPT.slice(0, -1)}!`,
    '$pbkdf2-sha256$i=1',
  ]
  assert.deepEqual(
    forms(unknown),
    unknown.map(() => 'hash_unknown'),
  )
  assert.equal(secretFormOf(pbkdf2(PBKDF2_ROUNDS_MAX)), 'hash')
  assert.equal(secretFormOf(pbkdf2(PBKDF2_ROUNDS_MAX + 1)), 'hash_too_costly')
  // Two blocks of 32 bytes cost twice as much, one of 64 bytes once.
  const long = 'A'.repeat(86)
  assert.equal(secretFormOf(pbkdf2(PBKDF2_ROUNDS_MAX / 2 + 1, 'sha256', 64, long)), 'hash_too_costly')
  assert.equal(secretFormOf(pbkdf2(PBKDF2_ROUNDS_MAX / 2, 'sha256', 64, long)), 'hash')
  assert.equal(secretFormOf(pbkdf2(PBKDF2_ROUNDS_MAX, 'sha512', 64, long)), 'hash')
})

test('a hash of PBKDF2 is read part by part, and in its one spelling', () => {
  const parts = { digest: 'sha256', iterations: 25_000, length: 32, salt: SALT, key: KEY }
  assert.deepEqual(parsePbkdf2(pbkdf2(25_000)), parts)
  assert.deepEqual(parsePbkdf2(pbkdf2(25_000, 'sha512')), { ...parts, digest: 'sha512' })
  const wrong = [
    pbkdf2(25_000, 'sha1'),
    pbkdf2('0'),
    pbkdf2('025000'),
    pbkdf2('12345678901'),
    pbkdf2(1, 'sha256', 31),
    pbkdf2(1, 'sha256', '032'),
    pbkdf2(1, 'sha256', 64),
    // Surplus bits in the last character, and no bytes at all behind it.
    pbkdf2(1, 'sha256', 32, `${'A'.repeat(42)}B`),
    pbkdf2(1, 'sha256', 33, 'A'.repeat(45)),
    pbkdf2(1, 'sha256', 65, 'A'.repeat(87)),
    pbkdf2(1).replace(SALT, ''),
    pbkdf2(1).replace(SALT, `${'A'.repeat(21)}B`),
    pbkdf2(1).replace(SALT, 'A'.repeat(88)),
    ` ${pbkdf2(1)}`,
    `${pbkdf2(1)} `,
    `${pbkdf2(1)}=`,
  ]
  for (const text of wrong) assert.equal(parsePbkdf2(text), undefined, text)
})
