// Configuration: what each command needs, its defaults, and all mistakes at once.
import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { describe, test } from 'node:test'
import { getCACertificates } from 'node:tls'
import { readDevConfig, readMigrateConfig, readServeConfig, readStoreConfig } from '../src/config/config.ts'
import { defaultLimits } from '../src/config/callers.ts'
import { BASE, file, KEY, mistakesOf } from '../../testkit/services/base-environment.ts'
import { CERTIFICATE, PRIVATE_KEY } from '../../testkit/keys/loopback-certificate.ts'

test('four variables are enough; the rest has the documented defaults', async () => {
  const workers = process.platform === 'linux' ? Math.min(availableParallelism(), 64) : 1
  const { settings: _, ...config } = await readServeConfig(BASE)
  assert.deepEqual(config, {
    dataDirectory: resolve('.mintmark'),
    databaseFile: resolve('.mintmark/mintmark.db'),
    postgres: null,
    retention: { expiredDays: 7, endedDays: 400 },
    port: 8080,
    tokenLifetimeSeconds: 300,
    bodyBytesMax: 16_384,
    signingKeys: { algorithm: 'ES256', rotationDays: 30 },
    identityProviders: [
      {
        issuer: 'https://login.example.com/',
        audience: 'mintmark',
        jwksUri: undefined,
        roleClaim: 'roles',
        roleSeparator: 'none',
        roles: { 'mintmark-viewer': 'viewer', 'mintmark-operator': 'operator', 'mintmark-admin': 'admin' },
        algorithms: ['RS256', 'PS256', 'ES256', 'ES384', 'Ed25519'],
        setting: 'MINTMARK_IDP_ISSUER',
        settings: [],
      },
    ],
    scopesSupported: null,
    console: null,
    dpopNonce: 'required',
    clientKeyRanges: [],
    claimNames: [],
    trustedProxies: [],
    clientCertificates: { header: null, listener: null },
    limits: defaultLimits(),
    metrics: null,
    traces: null,
    accessLog: false,
    useEvidence: true,
    host: '0.0.0.0',
    logLevel: 'info',
    tls: null,
    workers,
    drainSeconds: 5,
    baseUrl: 'https://auth.example.com',
    keyEncryptionKey: KEY,
    defaultAudience: 'https://auth.example.com',
    isDefaultAudienceAssumed: true,
    warnings: [PLAIN_HTTP],
  })
})

const PLAIN_HTTP =
  'The service speaks plain HTTP on 0.0.0.0:8080, beyond this machine: anybody who listens in that network reads secrets and tokens. Let nobody but a proxy that ends TLS reach this port, set HOST=127.0.0.1 where the proxy is on this machine, or set MINTMARK_TLS_CERT_FILE and MINTMARK_TLS_KEY_FILE.'

test('plain HTTP beyond this machine is warned of, and not on loopback, with TLS, or behind proxies that are named', async () => {
  const warningsFor = async (variables: Readonly<Record<string, string>>) =>
    (await readServeConfig({ ...BASE, ...variables })).warnings
  assert.deepEqual(await warningsFor({ HOST: '0.0.0.0' }), [PLAIN_HTTP])
  assert.deepEqual(await warningsFor({ HOST: 'fd00::1', PORT: '80' }), [
    PLAIN_HTTP.replace('0.0.0.0:8080', '[fd00::1]:80'),
  ])
  for (const host of ['127.0.0.1', '127.9.9.9', 'localhost', '::1'])
    assert.deepEqual(await warningsFor({ HOST: host }), [])
  const key = file('quiet-key.pem', PRIVATE_KEY)
  chmodSync(key, 0o600)
  const tls = { MINTMARK_TLS_CERT_FILE: file('quiet.pem', CERTIFICATE), MINTMARK_TLS_KEY_FILE: key }
  assert.deepEqual(await warningsFor(tls), [])
  assert.deepEqual(await warningsFor({ MINTMARK_TRUSTED_PROXIES: '10.0.0.7' }), [])
})

test('a file of a secret that others can read is warned of by name, path and mode, and one of a group is not', async () => {
  const { MINTMARK_KEY_ENCRYPTION_KEY: secret = '', ...others } = BASE
  const [kek, key] = [file('kek', secret), file('open-key.pem', PRIVATE_KEY)]
  const variables = {
    ...others,
    HOST: '127.0.0.1',
    MINTMARK_KEY_ENCRYPTION_KEY_FILE: kek,
    MINTMARK_TLS_CERT_FILE: file('open.pem', CERTIFICATE),
    MINTMARK_TLS_KEY_FILE: key,
  }
  const warnings = async (mode: number) => {
    for (const path of [kek, key]) chmodSync(path, mode)
    return (await readServeConfig(variables)).warnings
  }
  const line = (name: string, path: string, mode: string): string =>
    `${name} names "${path}", which every user of this machine can read (mode ${mode}); expected a file for the service alone: chmod o-r, or a mode such as 0440 where something mounts it.`
  for (const mode of ['0644', '0604']) {
    assert.deepEqual(await warnings(Number.parseInt(mode, 8)), [
      line('MINTMARK_KEY_ENCRYPTION_KEY_FILE', kek, mode),
      line('MINTMARK_TLS_KEY_FILE', key, mode),
    ])
  }
  for (const mode of [0o600, 0o640, 0o440, 0o660, 0o603]) assert.deepEqual(await warnings(mode), [], mode.toString(8))
})

test('the configuration is frozen, its parts included', async () => {
  const config = await readServeConfig(BASE)
  assert.ok(
    Object.isFrozen(config) && Object.isFrozen(config.retention) && Object.isFrozen(config.identityProviders[0]),
  )
})

test('each value that is set is taken', async () => {
  const config = await readServeConfig({
    ...BASE,
    MINTMARK_BASE_URL: 'http://127.0.0.1:9000/auth',
    HOST: '127.0.0.1',
    PORT: '9000',
    DATABASE_URL: 'sqlite:/var/lib/mintmark/db',
    MINTMARK_DATA_DIR: '/var/lib/mintmark',
    MINTMARK_IDP_JWKS_URI: 'https://login.example.com/keys?v=1',
    MINTMARK_IDP_ROLE_CLAIM: 'realm_access.roles',
    MINTMARK_TOKEN_LIFETIME_SECONDS: '86400',
    MINTMARK_DEFAULT_AUDIENCE: 'urn:example:api',
    MINTMARK_BODY_BYTES_MAX: '1024',
    MINTMARK_RETAIN_EXPIRED_DAYS: '1',
    MINTMARK_RETAIN_ENDED_DAYS: '30',
    LOG_LEVEL: 'debug',
  })
  const { baseUrl, host, port, databaseFile, dataDirectory, tokenLifetimeSeconds, defaultAudience } = config
  assert.deepEqual(
    { baseUrl, host, port, databaseFile, dataDirectory, tokenLifetimeSeconds, defaultAudience },
    {
      baseUrl: 'http://127.0.0.1:9000/auth',
      host: '127.0.0.1',
      port: 9000,
      databaseFile: '/var/lib/mintmark/db',
      dataDirectory: '/var/lib/mintmark',
      tokenLifetimeSeconds: 86_400,
      defaultAudience: 'urn:example:api',
    },
  )
  assert.deepEqual(config.retention, { expiredDays: 1, endedDays: 30 })
  assert.equal(config.bodyBytesMax, 1024)
  assert.equal(config.logLevel, 'debug')
  assert.equal(config.isDefaultAudienceAssumed, false)
  assert.equal(config.identityProviders[0]?.jwksUri, 'https://login.example.com/keys?v=1')
  assert.equal(config.identityProviders[0]?.roleClaim, 'realm_access.roles')
})

test('nonces of DPoP proofs are demanded unless they are off', async () => {
  assert.equal((await readServeConfig({ ...BASE, MINTMARK_DPOP_NONCE: 'required' })).dpopNonce, 'required')
  assert.equal((await readServeConfig({ ...BASE, MINTMARK_DPOP_NONCE: 'off' })).dpopNonce, 'off')
})

test('networks from which keys of clients may be fetched are read one by one', async () => {
  const ranges = { ...BASE, MINTMARK_CLIENT_KEYS_ALLOWED_RANGES: '10.0.0.0/8, fd00::/8' }
  assert.deepEqual((await readServeConfig(ranges)).clientKeyRanges, ['10.0.0.0/8', 'fd00::/8'])
})

test('an empty variable counts as not set', async () => {
  assert.equal((await readServeConfig({ ...BASE, PORT: '', LOG_LEVEL: '' })).port, 8080)
})

test('a secret may come from a file, whose last line end does not count', async () => {
  const path = file('key', `${KEY}\n`)
  const env = { ...BASE, MINTMARK_KEY_ENCRYPTION_KEY: undefined, MINTMARK_KEY_ENCRYPTION_KEY_FILE: path }
  assert.equal((await readServeConfig(env)).keyEncryptionKey, KEY)
})

test('TLS takes the certificate and the key from their files', async () => {
  const tls = {
    MINTMARK_TLS_CERT_FILE: file('cert.pem', CERTIFICATE),
    MINTMARK_TLS_KEY_FILE: file('key.pem', PRIVATE_KEY),
  }
  assert.deepEqual((await readServeConfig({ ...BASE, ...tls })).tls, { certificate: CERTIFICATE, key: PRIVATE_KEY })
})

test('the configuration file adds identity providers and scopes', async () => {
  const provider = {
    issuer: 'https://second.example.com',
    audience: 'mm',
    roles: { ops: 'operator' },
    algorithms: ['RS256'],
  }
  const path = file(
    'good.json',
    '\u{FEFF}' + JSON.stringify({ identity_providers: [provider], scopes_supported: ['db:read'] }),
  )
  const config = await readServeConfig({ ...BASE, MINTMARK_CONFIG_FILE: path })
  assert.deepEqual(config.scopesSupported, ['db:read'])
  const { settings: _, ...second } = config.identityProviders[1] ?? {}
  assert.deepEqual(second, {
    ...provider,
    jwksUri: undefined,
    roleClaim: 'roles',
    roleSeparator: 'none',
    setting: 'identity_providers[0].issuer in MINTMARK_CONFIG_FILE',
  })
})

test('a role claim that is a string is one role unless a separator is set or it is scope, a list by its definition', async () => {
  const of = async (claim?: string, separator?: string): Promise<readonly unknown[]> => {
    const variables = { MINTMARK_IDP_ROLE_CLAIM: claim, MINTMARK_IDP_ROLE_SEPARATOR: separator }
    const member = { role_claim: claim, role_separator: separator }
    const provider = { issuer: 'https://second.example.com', audience: 'mm', ...member }
    const path = file('separator.json', JSON.stringify({ identity_providers: [provider] }))
    const config = await readServeConfig({ ...BASE, ...variables, MINTMARK_CONFIG_FILE: path })
    return config.identityProviders.map(({ roleSeparator }) => roleSeparator)
  }
  assert.deepEqual(await of(), ['none', 'none'])
  assert.deepEqual(await of('groups'), ['none', 'none'])
  assert.deepEqual(await of('scope'), ['space', 'space'])
  assert.deepEqual(await of('scope', 'none'), ['none', 'none'])
  assert.deepEqual(await of('groups', 'comma'), ['comma', 'comma'])
  assert.deepEqual(await of(undefined, 'space'), ['space', 'space'])
})

test('all mistakes are reported at once', async () => {
  const env = { MINTMARK_BASE_URL: 'x', PORT: 'y', LOG_LEVEL: 'z', MINTMARK_X: '1', MINTMARK_RETAIN_ENDED_DAYS: '-1' }
  const named = (await mistakesOf(() => readServeConfig(env))).map(mistake => mistake.split(' ')[0])
  assert.deepEqual(
    named.toSorted((a = '', b = '') => a.localeCompare(b)),
    [
      'LOG_LEVEL',
      'MINTMARK_BASE_URL',
      'MINTMARK_IDP_ISSUER',
      'MINTMARK_KEY_ENCRYPTION_KEY',
      'MINTMARK_RETAIN_ENDED_DAYS',
      'MINTMARK_X',
      'PORT',
    ],
  )
})

describe('the other commands read only what they need', () => {
  test('migrate needs the key-encryption key and no base URL', async () => {
    assert.equal(readMigrateConfig({ MINTMARK_KEY_ENCRYPTION_KEY: KEY }).keyEncryptionKey, KEY)
    assert.deepEqual(await mistakesOf(() => readMigrateConfig({})), [
      'MINTMARK_KEY_ENCRYPTION_KEY is not set; expected 32 bytes in base64, such as `openssl rand -base64 32` prints',
    ])
  })

  test('the commands on agents and API keys need nothing, and still refuse an unknown variable', async () => {
    assert.equal(readStoreConfig({ MINTMARK_DATA_DIR: '/d' }).databaseFile, '/d/mintmark.db')
    assert.equal((await mistakesOf(() => readStoreConfig({ MINTMARK_DATADIR: '/d' }))).length, 1)
  })

  test('dev keeps its database in its own folder, whatever file DATABASE_URL names', () => {
    const config = readDevConfig({ DATABASE_URL: 'sqlite:/elsewhere.db', HOST: '0.0.0.0', PORT: '9000' })
    assert.equal(config.databaseFile, resolve('.mintmark/mintmark.db'))
    assert.equal(config.identityProviderPort, 9001)
    assert.equal('host' in config, false)
  })

  test('dev takes a PostgreSQL database as serve does', () => {
    const url = 'postgres://me:p%40ss@127.0.0.1,localhost:5433/mint'
    assert.deepEqual(readDevConfig({ DATABASE_URL: url }).postgres, {
      hosts: [
        { host: '127.0.0.1', port: 5432 },
        { host: 'localhost', port: 5433 },
      ],
      database: 'mint',
      user: 'me',
      password: 'p@ss',
      tls: null,
      allowed: [],
      pooling: 'session',
      fencedReads: 'auto',
    })
  })

  test('a database on another machine is reached by verified TLS, one at a socket without', () => {
    const databaseAt = (url: string) => readStoreConfig({ DATABASE_URL: url }).postgres
    assert.deepEqual(databaseAt('postgres://me@db.example/mint')?.tls, { ca: null })
    assert.deepEqual(databaseAt('postgres://me@127.0.0.1,db.example/mint')?.tls, { ca: null })
    const system = getCACertificates('system')
    if (system.length > 0) {
      assert.deepEqual(databaseAt('postgres://me@127.0.0.1/mint?sslrootcert=system')?.tls, { ca: system.join('\n') })
    }
    const unverified = 'postgres://me@127.0.0.1/mint?sslrootcert=system&sslmode=disable'
    assert.throws(() => databaseAt(unverified), /asks for an sslmode that does not verify the server/)
    for (const local of ['/mint?host=%2Frun%2Fpostgresql&port=5433', '%2Frun%2Fpostgresql:5433/mint'].map(place =>
      databaseAt(`postgresql://me@${place}`),
    ))
      assert.deepEqual([local?.tls, local?.hosts], [null, [{ host: '/run/postgresql', port: 5433 }]])
  })

  test('dev needs two ports', async () => {
    const same = await mistakesOf(() => readDevConfig({ PORT: '9000', MINTMARK_DEV_IDP_PORT: '9000' }))
    assert.match(same.join('\n'), /^MINTMARK_DEV_IDP_PORT equals PORT; expected two ports/)
    const none = await mistakesOf(() => readDevConfig({ PORT: '65535' }))
    assert.match(none.join('\n'), /^PORT is 65535, and PORT \+ 1 is no port/)
    const wrong = await mistakesOf(() => readDevConfig({ PORT: '65535', MINTMARK_DEV_IDP_PORT: 'x' }))
    assert.deepEqual(wrong, ['MINTMARK_DEV_IDP_PORT is "x"; expected a whole number from 1 to 65535'])
  })
})
