// Settings as an administrator sees them: their values, their sources, and nothing that must not be seen.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { readDevConfig, readServeConfig } from '../../src/config/config.ts'
import { withoutCredentials } from '../../src/config/setting-records.ts'
import { BASE, file, KEY } from '../../../testkit/services/base-environment.ts'

const PAGE = readFileSync(new URL('../../../docs/run/operators-sign-in.md', import.meta.url), 'utf8')

const LINK = /\[([^\]]*)\]\([^)]*\)/g

/** What the page says of a name in the first column of a table. */
const meaningOf = (name: string): string | undefined => {
  const row = PAGE.split('\n').find(line => line.startsWith(`| \`${name}\` |`) || line.startsWith(`| \`${name}\` (`))
  return row?.split(' | ')[2]?.replace(/ \|$/, '').replaceAll(LINK, '$1')
}

const settingsOf = async (env: Readonly<Record<string, string>>) => {
  const { settings, identityProviders } = await readServeConfig({ ...BASE, ...env })
  return [...settings, ...identityProviders.flatMap(provider => provider.settings)]
}

const find = async (env: Readonly<Record<string, string>>, wanted: string) => {
  const found = (await settingsOf(env)).find(({ name }) => name === wanted)
  assert.ok(found !== undefined, wanted)
  return [found.value, found.source, found.variable]
}

test('every member of the configuration file means what docs/run/operators-sign-in.md says in its row', async () => {
  const path = file(
    'meanings.json',
    JSON.stringify({ identity_providers: [{ issuer: 'https://b.example', audience: 'b' }] }),
  )
  for (const member of ['roles', 'algorithms', 'scopes_supported']) {
    const found = (await settingsOf({ MINTMARK_CONFIG_FILE: path })).find(({ name }) => name.endsWith(member))
    assert.equal(found?.meaning, meaningOf(member))
  }
})

describe('a setting has its value in effect and its source', () => {
  const path = file('key', `${KEY}\n`)
  const provider = { issuer: 'https://b.example', audience: 'b', roles: { ops: 'operator' } }
  const config = file(
    'settings.json',
    JSON.stringify({ identity_providers: [provider], scopes_supported: ['a:b', 'c:d'] }),
  )
  const cases: readonly (readonly [Readonly<Record<string, string>>, string, readonly (string | null)[]])[] = [
    [{}, 'PORT', ['8080', 'default', null]],
    [{ PORT: '' }, 'PORT', ['8080', 'default', null]],
    [{ PORT: '9000' }, 'PORT', ['9000', 'environment', 'PORT']],
    [{}, 'MINTMARK_DEFAULT_AUDIENCE', ['https://auth.example.com', 'default', null]],
    [{}, 'MINTMARK_KEY_ROTATION_DAYS', ['30', 'default', null]],
    [
      { MINTMARK_KEY_ROTATION_DAYS: 'off' },
      'MINTMARK_KEY_ROTATION_DAYS',
      ['off', 'environment', 'MINTMARK_KEY_ROTATION_DAYS'],
    ],
    [{ MINTMARK_CONNECTIONS_MAX: '100' }, 'MINTMARK_CONNECTIONS_PER_ADDRESS', ['100', 'default', null]],
    [{}, 'MINTMARK_METRICS_ADDRESS', ['off', 'default', null]],
    [{}, 'MINTMARK_CONFIG_FILE', [null, 'default', null]],
    [{}, 'MINTMARK_TRUSTED_PROXIES', [null, 'default', null]],
    [{}, 'MINTMARK_FENCED_READS', [null, 'not_read', null]],
    [
      { MINTMARK_KEY_ENCRYPTION_KEY: '', MINTMARK_KEY_ENCRYPTION_KEY_FILE: path },
      'MINTMARK_KEY_ENCRYPTION_KEY',
      ['set', 'secret_file', 'MINTMARK_KEY_ENCRYPTION_KEY_FILE'],
    ],
    [{}, 'MINTMARK_CONSOLE_CLIENT_SECRET', ['not set', 'default', null]],
    [{ MINTMARK_CONFIG_FILE: config }, 'scopes_supported', ['a:b c:d', 'configuration_file', 'MINTMARK_CONFIG_FILE']],
    [
      { MINTMARK_CONFIG_FILE: config },
      'identity_providers[0].roles',
      ['ops: operator', 'configuration_file', 'MINTMARK_CONFIG_FILE'],
    ],
    [{ MINTMARK_CONFIG_FILE: config }, 'identity_providers[0].role_claim', ['roles', 'default', null]],
    [{}, 'scopes_supported', [null, 'default', null]],
  ]
  for (const [env, name, expected] of cases) {
    test(`${name} with ${JSON.stringify(Object.keys(env))}`, async () =>
      assert.deepEqual(await find(env, name), expected))
  }
})

test('a setting has its unit, its bounds, its default and an example, where it has some', async () => {
  const of = async (wanted: string) => {
    const found = (await settingsOf({})).find(({ name }) => name === wanted)
    return [found?.unit, found?.bounds, found?.default, found?.example]
  }
  assert.deepEqual(await of('MINTMARK_TOKEN_LIFETIME_SECONDS'), ['seconds', '1 to 86400', '300', null])
  assert.deepEqual(await of('MINTMARK_KEY_ROTATION_DAYS'), ['days', '1 to 3650, or off', '30', null])
  assert.deepEqual(await of('MINTMARK_DPOP_NONCE'), [null, 'required, off', 'required', null])
  assert.deepEqual(await of('MINTMARK_BASE_URL'), [null, null, null, 'https://auth.example.com'])
})

test('no secret and no credential of an address is among the settings', async () => {
  const settings = await settingsOf({
    DATABASE_URL: 'postgres://us3r:pa55@a.example:1,b.example/mintmark?sslmode=verify-full',
    MINTMARK_CONSOLE_CLIENT_ID: 'console',
    MINTMARK_CONSOLE_CLIENT_SECRET: 's3cret',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://us3r:pa55@otel.example/?key=s3cret',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https:us3r:pa55@otel.example/traces',
  })
  assert.doesNotMatch(JSON.stringify(settings), /us3r|pa55|s3cret/)
  assert.ok(!JSON.stringify(settings).includes(KEY))
  const values = Object.fromEntries(settings.map(({ name, value }) => [name, value]))
  assert.equal(values['DATABASE_URL'], 'postgres://a.example:1,b.example/mintmark?sslmode=verify-full')
  assert.equal(values['OTEL_EXPORTER_OTLP_ENDPOINT'], 'https://otel.example/?…')
  assert.equal(values['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'], 'https://otel.example/traces')
})

test('an address keeps what is no credential, and a text that is no address stays as it is', () => {
  assert.equal(
    withoutCredentials('postgres://u:p@db.example/x?sslmode=disable'),
    'postgres://db.example/x?sslmode=disable',
  )
  for (const text of [
    '',
    'on',
    '10.0.0.0/8,fd00::/8',
    'sqlite:/a@b/c',
    'https://a.example/b',
    'openid offline_access',
    '//a@b',
  ]) {
    assert.equal(withoutCredentials(text), text)
  }
})

test('mintmark dev lists the settings that it reads, and their defaults there', () => {
  const values = Object.fromEntries(readDevConfig({ PORT: '9000' }).settings.map(({ name, value }) => [name, value]))
  assert.deepEqual([values['PORT'], values['MINTMARK_DEV_IDP_PORT'], values['LOG_LEVEL']], ['9000', '9001', 'warn'])
  assert.equal(values['MINTMARK_METRICS_ADDRESS'], '127.0.0.1:9002')
})
