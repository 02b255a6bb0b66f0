// Each mistake of a configuration is reported alone, by its variable, without any secret.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Environment, readServeConfig } from '../src/config/config.ts'
import { BASE, file, KEY, mistakesOf } from '../../testkit/services/base-environment.ts'
import { HOSTLESS } from '../../testkit/callers/hostless-addresses.ts'
import { CERTIFICATE, PRIVATE_KEY } from '../../testkit/keys/loopback-certificate.ts'

const configFile = (name: string, value: unknown): Environment => ({
  MINTMARK_CONFIG_FILE: file(name, typeof value === 'string' ? value : JSON.stringify(value)),
})

const provider = { issuer: 'https://second.example.com', audience: 'mm' }

/** What is set beside a good configuration, and the one mistake that is reported. */
const MISTAKES: readonly (readonly [string, Environment, RegExp])[] = [
  ['no base URL', { MINTMARK_BASE_URL: undefined }, /^MINTMARK_BASE_URL is not set; expected the https address/],
  ['no URL at all', { MINTMARK_BASE_URL: 'auth' }, /^MINTMARK_BASE_URL is not a URL; expected/],
  [
    'http beyond loopback',
    { MINTMARK_BASE_URL: 'http://auth.example.com' },
    /^MINTMARK_BASE_URL is http; expected https/,
  ],
  [
    'a name that only looks like loopback',
    { MINTMARK_BASE_URL: 'http://127.0.0.1.example.com' },
    /^MINTMARK_BASE_URL is http/,
  ],
  [
    'another scheme',
    { MINTMARK_BASE_URL: 'ftp://auth.example.com' },
    /^MINTMARK_BASE_URL opens with ftp:; expected https:/,
  ],
  [
    'a trailing slash',
    { MINTMARK_BASE_URL: 'https://a.example.com/' },
    /^MINTMARK_BASE_URL is .*; expected it written as https:\/\/a\.example\.com$/,
  ],
  ['upper case in the host', { MINTMARK_BASE_URL: 'https://A.example.com' }, /written as https:\/\/a\.example\.com$/],
  ['the default port', { MINTMARK_BASE_URL: 'https://a.example.com:443' }, /written as https:\/\/a\.example\.com$/],
  ['a query', { MINTMARK_BASE_URL: 'https://a.example.com?x=1' }, /^MINTMARK_BASE_URL holds a query/],
  ['a fragment', { MINTMARK_BASE_URL: 'https://a.example.com#x' }, /^MINTMARK_BASE_URL holds a fragment/],
  [
    'a password',
    { MINTMARK_BASE_URL: 'https://u:hunter2@a.example.com' },
    /^MINTMARK_BASE_URL holds a user name or a password/,
  ],
  ...['10.0.0.0', '10.0.0.0/33', 'fd00::/129', '10.0.0/8', 'internal/8', '10.0.0.0/8,', '10.0.0.0/8;::/0', '::/'].map(
    text =>
      [
        `networks written as ${text}`,
        { MINTMARK_CLIENT_KEYS_ALLOWED_RANGES: text },
        /^MINTMARK_CLIENT_KEYS_ALLOWED_RANGES is ".*"; expected at most 64 networks such as 10\.0\.0\.0\/8,fd00::\/8$/,
      ] as const,
  ),
  ['port 0', { PORT: '0' }, /^PORT is "0"; expected a whole number from 1 to 65535$/],
  ['a port too high', { PORT: '65536' }, /^PORT is "65536"; expected/],
  ['a port with a sign', { PORT: '+80' }, /^PORT is "\+80"; expected/],
  [
    'another database',
    { DATABASE_URL: 'mysql://u:hunter2@db/x' },
    /^DATABASE_URL names no database; expected sqlite:FILE or postgres:/,
  ],
  ['a database in memory', { DATABASE_URL: 'sqlite::memory:' }, /^DATABASE_URL names no database;/],
  ['a database without a user', { DATABASE_URL: 'postgres://db/x' }, /^DATABASE_URL names no user; expected postgres:/],
  [
    'a database without a name',
    { DATABASE_URL: 'postgres://u:hunter2@db' },
    /^DATABASE_URL names no database; expected/,
  ],
  ['a host that is none', { DATABASE_URL: 'postgres://u:hunter2@db:99999/x' }, /^DATABASE_URL names no host, or one/],
  ['no host', { DATABASE_URL: 'postgres://u:hunter2@/x' }, /^DATABASE_URL names no host, or one that is none;/],
  [
    'TLS that verifies nothing',
    { DATABASE_URL: 'postgres://u:hunter2@db/x?sslmode=require' },
    /^DATABASE_URL asks for an sslmode that does not verify the server; expected verify-full/,
  ],
  [
    'no TLS to another machine',
    { DATABASE_URL: 'postgres://u:hunter2@db/x?sslmode=disable' },
    /^DATABASE_URL asks for no TLS to another machine; expected sslmode=verify-full/,
  ],
  [
    'a standby',
    { DATABASE_URL: 'postgres://u:hunter2@db/x?target_session_attrs=standby' },
    /^DATABASE_URL asks for another target_session_attrs than primary/,
  ],
  [
    'a parameter of the database that is none of ours',
    { DATABASE_URL: 'postgres://u:hunter2@db/x?options=-cfsync' },
    /^DATABASE_URL holds a parameter that is none of host, port, sslmode/,
  ],
  [
    'an unsafe database by a name that is none',
    { DATABASE_URL: 'postgres://u@db/x', MINTMARK_ALLOW_UNSAFE_DATABASE: 'everything' },
    /^MINTMARK_ALLOW_UNSAFE_DATABASE is "everything"; expected some of fsync,full_page_writes,plaintext,quorum$/,
  ],
  [
    'no key',
    { MINTMARK_KEY_ENCRYPTION_KEY: undefined },
    /^MINTMARK_KEY_ENCRYPTION_KEY is not set; expected 32 bytes in base64/,
  ],
  [
    'a short key',
    { MINTMARK_KEY_ENCRYPTION_KEY: 'aHVudGVyMg==' },
    /^MINTMARK_KEY_ENCRYPTION_KEY is not 32 bytes in base64/,
  ],
  [
    'a key of another spelling',
    { MINTMARK_KEY_ENCRYPTION_KEY: `${KEY.slice(0, 42)}d=` },
    /^MINTMARK_KEY_ENCRYPTION_KEY is not 32 bytes/,
  ],
  [
    'a secret twice',
    { MINTMARK_KEY_ENCRYPTION_KEY_FILE: '/x' },
    /^MINTMARK_KEY_ENCRYPTION_KEY and MINTMARK_KEY_ENCRYPTION_KEY_FILE are both set; expected one/,
  ],
  [
    'a secret file that is not there',
    { MINTMARK_KEY_ENCRYPTION_KEY: undefined, MINTMARK_KEY_ENCRYPTION_KEY_FILE: '/nowhere/key' },
    /^MINTMARK_KEY_ENCRYPTION_KEY_FILE names "\/nowhere\/key", which cannot be read \(ENOENT\)/,
  ],
  [
    'no identity provider',
    { MINTMARK_IDP_ISSUER: undefined, MINTMARK_IDP_AUDIENCE: undefined },
    /^MINTMARK_IDP_ISSUER is not set; expected an identity provider/,
  ],
  [
    'an identity provider without an audience',
    { MINTMARK_IDP_AUDIENCE: undefined },
    /^MINTMARK_IDP_AUDIENCE is not set; expected/,
  ],
  [
    'an audience without an identity provider',
    { MINTMARK_IDP_ISSUER: undefined },
    /^MINTMARK_IDP_ISSUER is not set; expected/,
  ],
  [
    'an issuer over http',
    { MINTMARK_IDP_ISSUER: 'http://login.example.com' },
    /^MINTMARK_IDP_ISSUER is http; expected https/,
  ],
  [
    'keys over http',
    { MINTMARK_IDP_JWKS_URI: 'http://login.example.com/k' },
    /^MINTMARK_IDP_JWKS_URI is http; expected https/,
  ],
  [
    'this service as its identity provider',
    { MINTMARK_IDP_ISSUER: 'https://auth.example.com' },
    /^MINTMARK_BASE_URL equals the identity provider/,
  ],
  [
    'a lifetime of 0',
    { MINTMARK_TOKEN_LIFETIME_SECONDS: '0' },
    /^MINTMARK_TOKEN_LIFETIME_SECONDS is "0"; expected a whole number from 1 to 86400$/,
  ],
  [
    'a lifetime over a day',
    { MINTMARK_TOKEN_LIFETIME_SECONDS: '86401' },
    /^MINTMARK_TOKEN_LIFETIME_SECONDS is "86401"/,
  ],
  ['a lifetime with a unit', { MINTMARK_TOKEN_LIFETIME_SECONDS: '5m' }, /^MINTMARK_TOKEN_LIFETIME_SECONDS is "5m"/],
  ['a relative audience', { MINTMARK_DEFAULT_AUDIENCE: 'api' }, /^MINTMARK_DEFAULT_AUDIENCE is not an absolute URI/],
  ...HOSTLESS.flatMap(uri => [
    [
      `the audience ${uri}`,
      { MINTMARK_DEFAULT_AUDIENCE: uri },
      /^MINTMARK_DEFAULT_AUDIENCE is not an absolute URI/,
    ] as const,
    [`the base URL ${uri}`, { MINTMARK_BASE_URL: uri }, /^MINTMARK_BASE_URL (names no host|is not a URL)/] as const,
    [`the issuer ${uri}`, { MINTMARK_IDP_ISSUER: uri }, /^MINTMARK_IDP_ISSUER (names no host|is not a URL)/] as const,
    [
      `the keys at ${uri}`,
      { MINTMARK_IDP_JWKS_URI: uri },
      /^MINTMARK_IDP_JWKS_URI (names no host|is not a URL)/,
    ] as const,
  ]),
  [
    'a certificate without a key',
    { MINTMARK_TLS_CERT_FILE: file('c.pem', CERTIFICATE) },
    /^MINTMARK_TLS_CERT_FILE and MINTMARK_TLS_KEY_FILE belong together/,
  ],
  [
    'a key in place of a certificate',
    { MINTMARK_TLS_CERT_FILE: file('k1.pem', PRIVATE_KEY), MINTMARK_TLS_KEY_FILE: file('k2.pem', PRIVATE_KEY) },
    /^MINTMARK_TLS_CERT_FILE names .*, which holds no certificate/,
  ],
  [
    'a certificate that is damaged',
    {
      MINTMARK_TLS_CERT_FILE: file('c4.pem', CERTIFICATE.replace('MII', 'MIJ')),
      MINTMARK_TLS_KEY_FILE: file('k4.pem', PRIVATE_KEY),
    },
    /^MINTMARK_TLS_CERT_FILE and MINTMARK_TLS_KEY_FILE cannot be used \(.+\); expected a certificate and its key/,
  ],
  [
    'TLS with an http base URL',
    {
      MINTMARK_BASE_URL: 'http://localhost:8080',
      MINTMARK_TLS_CERT_FILE: file('c3.pem', CERTIFICATE),
      MINTMARK_TLS_KEY_FILE: file('k3.pem', PRIVATE_KEY),
    },
    /^MINTMARK_BASE_URL is http, yet MINTMARK_TLS_CERT_FILE is set/,
  ],
  [
    'a configuration file that is not there',
    { MINTMARK_CONFIG_FILE: '/nowhere/c' },
    /^MINTMARK_CONFIG_FILE names "\/nowhere\/c", which cannot be read \(ENOENT\)/,
  ],
  ['a configuration file that is no JSON', configFile('a.json', '{,}'), /^MINTMARK_CONFIG_FILE .*, which is not JSON/],
  [
    'a member given twice',
    configFile('a2.json', '{"scopes_supported":["db:read"],"identity_providers":[],"scopes_supported":[]}'),
    /^MINTMARK_CONFIG_FILE names .*, in which scopes_supported is given twice: give each member once/,
  ],
  [
    'an unknown member',
    configFile('b.json', { identity_provider: [] }),
    /^MINTMARK_CONFIG_FILE names .*identity_provider"/,
  ],
  [
    'an unknown member of a provider',
    configFile('c.json', { identity_providers: [{ ...provider, jwks: 'x' }] }),
    /identity_providers\[0\]: .*"jwks"/,
  ],
  [
    'a provider over http',
    configFile('d.json', { identity_providers: [{ ...provider, issuer: 'http://x.example.com' }] }),
    /identity_providers\[0\]\.issuer: is http; expected https/,
  ],
  [
    'a symmetric algorithm',
    configFile('e.json', { identity_providers: [{ ...provider, algorithms: ['HS256'] }] }),
    /identity_providers\[0\]\.algorithms\[0\]: /,
  ],
  [
    'an unknown role',
    configFile('f.json', { identity_providers: [{ ...provider, roles: { x: 'root' } }] }),
    /identity_providers\[0\]\.roles\.x: /,
  ],
  [
    'a scope that is none',
    configFile('g.json', { scopes_supported: ['read'] }),
    /scopes_supported\[0\]: is not a scope item/,
  ],
  [
    'an issuer twice',
    configFile('h.json', { identity_providers: [provider, provider] }),
    /^MINTMARK_CONFIG_FILE names the identity provider https:\/\/second\.example\.com again/,
  ],
  [
    'a separator of roles that there is not',
    { MINTMARK_IDP_ROLE_SEPARATOR: ';' },
    /^MINTMARK_IDP_ROLE_SEPARATOR is ";"; expected one of none, space, comma$/,
  ],
  [
    'an unknown log level',
    { LOG_LEVEL: 'verbose' },
    /^LOG_LEVEL is "verbose"; expected one of fatal, error, warn, info, debug, trace, silent$/,
  ],
  [
    'a nonce policy that there is not',
    { MINTMARK_DPOP_NONCE: 'on' },
    /^MINTMARK_DPOP_NONCE is "on"; expected one of required, off$/,
  ],
  ['a body limit too small', { MINTMARK_BODY_BYTES_MAX: '1023' }, /^MINTMARK_BODY_BYTES_MAX is "1023"; expected/],
  ['nothing retained', { MINTMARK_RETAIN_ENDED_DAYS: '0' }, /^MINTMARK_RETAIN_ENDED_DAYS is "0"; expected/],
  [
    'a mistyped variable',
    { MINTMARK_BASEURL: 'x' },
    /^MINTMARK_BASEURL is not a variable of this version; expected perhaps MINTMARK_BASE_URL$/,
  ],
  [
    'a variable that has no prefix',
    { MINTMARK_PORT: '8081' },
    /^MINTMARK_PORT is not a variable of this version; expected perhaps PORT$/,
  ],
  [
    'a variable without its ending',
    { MINTMARK_TLS_CERT: 'x' },
    /^MINTMARK_TLS_CERT is .*; expected perhaps MINTMARK_TLS_CERT_FILE$/,
  ],
  [
    'a variable of nothing',
    { MINTMARK_TELEMETRY_ENDPOINT_ADDRESS: 'x' },
    /is not a variable of this version; expected a name of docs\/reference\/settings\.md$/,
  ],
]

describe('each mistake is reported by its variable', () => {
  for (const [title, changes, message] of MISTAKES) {
    test(title, async () => {
      const mistakes = await mistakesOf(() => readServeConfig({ ...BASE, ...changes }))
      assert.equal(mistakes.length, 1, mistakes.join('\n'))
      assert.match(mistakes[0] ?? '', message)
      assert.doesNotMatch(mistakes[0] ?? '', /hunter2|aHVudGVyMg/, 'a secret stands in the message')
    })
  }
})
