// Where certificates of clients come from, as a configuration says it, and each mistake of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { certificateOptionsOf, certificateSourcesOf } from '../src/compose/client-certificates.ts'
import { type Environment, readServeConfig } from '../src/config/config.ts'
import { BASE, file, mistakesOf } from '../../testkit/services/base-environment.ts'
import { CERTIFICATE, PRIVATE_KEY } from '../../testkit/keys/loopback-certificate.ts'
import { makeAuthority, makeCertificate } from '../../testkit/keys/make-certificate.ts'

const authority = makeAuthority('clients')
const second = makeAuthority('others')

const TLS = {
  MINTMARK_TLS_CERT_FILE: file('cert.pem', CERTIFICATE),
  MINTMARK_TLS_KEY_FILE: file('key.pem', PRIVATE_KEY),
}
const AUTHORITIES = { MINTMARK_TLS_CLIENT_CA_FILE: file('authorities.pem', authority.cert + second.cert) }
const HEADER = {
  MINTMARK_TRUSTED_PROXIES: '10.0.0.7, fd00::/8,::1',
  MINTMARK_CLIENT_CERT_HEADER: 'Client-Cert rfc9440',
  MINTMARK_CLIENT_CERT_CHAIN: 'verified',
}

const read = async (env: Environment) => (await readServeConfig({ ...BASE, ...env })).clientCertificates

test('the header, its form, what the proxies verify, and the proxies by address or network', async () => {
  const header = {
    name: 'client-cert',
    form: 'rfc9440',
    isVerified: true,
    proxies: ['10.0.0.7/32', 'fd00::/8', '::1/128'],
  }
  assert.deepEqual(await read(HEADER), { header, listener: null })
  for (const form of ['pem', 'base64', 'xfcc']) {
    const given = { MINTMARK_CLIENT_CERT_HEADER: `X-Cert  ${form}`, MINTMARK_CLIENT_CERT_CHAIN: 'unverified' }
    const expected = { ...header, name: 'x-cert', form, isVerified: false }
    assert.deepEqual((await read({ ...HEADER, ...given })).header, expected)
  }
})

test('trusted proxies alone say where requests come from, and no header of theirs holds a certificate', async () => {
  const { clientCertificates, trustedProxies } = await readServeConfig({
    ...BASE,
    MINTMARK_TRUSTED_PROXIES: '10.0.0.7, fd00::/8',
  })
  assert.deepEqual(trustedProxies, ['10.0.0.7/32', 'fd00::/8'])
  assert.deepEqual(clientCertificates, { header: null, listener: null })
  assert.deepEqual((await readServeConfig({ ...BASE, ...HEADER })).trustedProxies, [
    '10.0.0.7/32',
    'fd00::/8',
    '::1/128',
  ])
})

test('the listener asks for certificates where it has authorities, or where it is configured to', async () => {
  const authorities = authority.cert + second.cert
  const request = { MINTMARK_TLS_CLIENT_CERTS: 'request' }
  assert.deepEqual((await read({ ...TLS, ...AUTHORITIES })).listener, { authorities })
  assert.deepEqual((await read({ ...TLS, ...AUTHORITIES, ...request })).listener, { authorities })
  assert.deepEqual((await read({ ...TLS, ...request })).listener, { authorities: null })
  assert.equal((await read({ ...TLS, MINTMARK_TLS_CLIENT_CERTS: 'off' })).listener, null)
  assert.equal((await read(TLS)).listener, null)
})

const MISTAKES: readonly (readonly [string, Environment, RegExp])[] = [
  [
    'a header alone',
    { MINTMARK_CLIENT_CERT_HEADER: 'Client-Cert pem' },
    /^MINTMARK_TRUSTED_PROXIES, .* belong together/,
  ],
  [
    'a header from nobody',
    { ...HEADER, MINTMARK_TRUSTED_PROXIES: '' },
    /belong together; expected all of them, or the trusted proxies alone, or none/,
  ],
  ['a chain of which nothing is said', { ...HEADER, MINTMARK_CLIENT_CERT_CHAIN: undefined }, /belong together/],
  [
    'a chain that is something else',
    { ...HEADER, MINTMARK_CLIENT_CERT_CHAIN: 'yes' },
    /^MINTMARK_CLIENT_CERT_CHAIN is "yes"; expected one of verified, unverified$/,
  ],
  ...['proxy.example', '10.0.0', '10.0.0.0/33', '10.0.0.7;10.0.0.8', '*', ',', 'fe80::1%eth0'].map(
    text =>
      [
        `proxies written as ${text}`,
        { ...HEADER, MINTMARK_TRUSTED_PROXIES: text },
        /^MINTMARK_TRUSTED_PROXIES is ".*"; expected addresses or networks such as 10\.0\.0\.7,fd00::\/8$/,
      ] as const,
  ),
  ...['Client-Cert', 'Client-Cert der', 'Client_Cert pem', 'rfc9440', 'a b pem'].map(
    text =>
      [
        `a header written as ${text}`,
        { ...HEADER, MINTMARK_CLIENT_CERT_HEADER: text },
        /^MINTMARK_CLIENT_CERT_HEADER is ".*"; expected the name of a header, a space and one of rfc9440, pem, base64, xfcc/,
      ] as const,
  ),
  ['authorities without TLS', AUTHORITIES, /^MINTMARK_TLS_CLIENT_CA_FILE is set, yet MINTMARK_TLS_CERT_FILE is not/],
  [
    'asking without TLS',
    { MINTMARK_TLS_CLIENT_CERTS: 'request' },
    /^MINTMARK_TLS_CLIENT_CERTS is set, yet MINTMARK_TLS_CERT_FILE is not/,
  ],
  [
    'authorities for nothing',
    { ...TLS, ...AUTHORITIES, MINTMARK_TLS_CLIENT_CERTS: 'off' },
    /^MINTMARK_TLS_CLIENT_CERTS is off, yet MINTMARK_TLS_CLIENT_CA_FILE is set/,
  ],
  [
    'another word',
    { ...TLS, MINTMARK_TLS_CLIENT_CERTS: 'require' },
    /^MINTMARK_TLS_CLIENT_CERTS is "require"; expected one of off, request$/,
  ],
  [
    'a file that is not there',
    { ...TLS, MINTMARK_TLS_CLIENT_CA_FILE: '/nowhere' },
    /^MINTMARK_TLS_CLIENT_CA_FILE names "\/nowhere", which cannot be read \(ENOENT\)/,
  ],
  ...Object.entries({
    'a key': PRIVATE_KEY,
    'a certificate that is no authority': makeCertificate({ authority }).cert,
    'an authority and a damaged one': authority.cert + second.cert.replace('MII', 'MIA'),
    nothing: '',
  }).map(
    ([what, text], n) =>
      [
        `authorities that are ${what}`,
        { ...TLS, MINTMARK_TLS_CLIENT_CA_FILE: file(`wrong${n}.pem`, text) },
        /^MINTMARK_TLS_CLIENT_CA_FILE names .*; expected a PEM file with CA certificates only$/,
      ] as const,
  ),
]

for (const [title, changes, message] of MISTAKES) {
  test(`a mistake is reported by its variable: ${title}`, async () => {
    const mistakes = await mistakesOf(() => readServeConfig({ ...BASE, ...changes }))
    assert.equal(mistakes.length, 1, mistakes.join('\n'))
    assert.match(mistakes[0] ?? '', message)
  })
}

test('what the service hears of, and so announces, follows from where certificates come', () => {
  const header = { name: 'a', form: 'pem', proxies: [] } as const
  const [verified, unverified] = [
    { ...header, isVerified: true },
    { ...header, isVerified: false },
  ]
  for (const [config, expected] of [
    [{ header: null, listener: null }, [false, false]],
    [{ header: verified, listener: null }, [true, false]],
    [{ header: unverified, listener: null }, [false, true]],
    [{ header: null, listener: { authorities: null } }, [false, true]],
    [{ header: null, listener: { authorities: 'x' } }, [true, true]],
    [{ header: unverified, listener: { authorities: 'x' } }, [true, true]],
  ] as const) {
    assert.deepEqual(Object.values(certificateSourcesOf(config)), expected, JSON.stringify(config))
  }
})

test('a listener without configuration asks for nothing, and one without authorities takes those of nobody', () => {
  const tls = { certificate: CERTIFICATE, key: PRIVATE_KEY }
  const plain = { cert: CERTIFICATE, key: PRIVATE_KEY }
  assert.deepEqual(certificateOptionsOf(tls, { header: null, listener: null }).https, plain)
  assert.deepEqual(certificateOptionsOf(tls, { header: null, listener: { authorities: null } }).https?.ca, [])
  assert.equal(certificateOptionsOf(null, { header: null, listener: null }).https, undefined)
})
