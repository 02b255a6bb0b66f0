// Credentials that trust keys or workloads: what can be registered, and what is refused before anything is kept.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { thumbprintOf } from '../../../src/keys/tokens/thumbprint.ts'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import {
  askAsserting,
  createTrust,
  credentialsOf,
  makeAssertion,
  registerKeys,
} from '../../../../testkit/keys/client-assertions.ts'
import { makeProofKey } from '../../../../testkit/keys/dpop.ts'
import { generateKeys, makeAuthority, makeCertificate } from '../../../../testkit/keys/make-certificate.ts'
import { HOSTLESS } from '../../../../testkit/callers/hostless-addresses.ts'
import { assertProblem } from '../../../../testkit/callers/requests.ts'
import { countRows } from '../../../../testkit/stores/store-file.ts'
import type { AgentOfTest } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const key = makeProofKey()

const service = useService()
let agent: AgentOfTest

beforeEach(async () => {
  agent = await service.createAgent()
})

const publicJwk = (...kind: Parameters<typeof generateKeys>): object =>
  generateKeys(...kind).publicKey.export({ format: 'jwk' })

const NO_KEY =
  'holds something other than a public key for signatures: RSA of 2048 to 8192 bits, EC on P-256 or P-384, or Ed25519, with no alg or one of its kind'
const named = { ...key.jwk, kid: 'one' }

const BAD_KEYS: Readonly<Record<string, readonly [object, string]>> = {
  'no key': [{ keys: [] }, '.keys holds no key'],
  'eleven keys': [
    { keys: Array.from({ length: 11 }, (_, n) => ({ ...key.jwk, kid: `${n}` })) },
    '.keys holds more than 10 keys',
  ],
  'a private key': [
    { keys: [key.privateKey.export({ format: 'jwk' })] },
    'holds a private key, which nobody but its owner may have: make another, and register its public half',
  ],
  'a symmetric key': [
    { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] },
    'holds a private key, which nobody but its owner may have: make another, and register its public half',
  ],
  'a short RSA key': [
    { keys: [makeProofKey('RS256', 1024).jwk] },
    'holds a key that is an RSA key of 1024 bits, not of 2048 to 8192',
  ],
  'a key for encryption': [{ keys: [{ ...key.jwk, use: 'enc' }] }, NO_KEY],
  'a key on P-521': [{ keys: [key.jwk, publicJwk('ec', { namedCurve: 'P-521' })] }, NO_KEY],
  'a key on secp256k1': [{ keys: [publicJwk('ec', { namedCurve: 'secp256k1' })] }, NO_KEY],
  'a key of X25519': [{ keys: [publicJwk('x25519')] }, NO_KEY],
  'a key of Ed448': [{ keys: [publicJwk('ed448')] }, NO_KEY],
  'a key on P-256 with the alg of RSA': [{ keys: [{ ...key.jwk, alg: 'RS256' }] }, NO_KEY],
  'a key on P-256 with the alg of P-384': [{ keys: [{ ...key.jwk, alg: 'ES384' }] }, NO_KEY],
  'a point that is not on its curve': [
    { keys: [{ ...key.jwk, y: key.jwk.x }] },
    'holds a key that is no public key of its kind',
  ],
  'two keys of one kid': [{ keys: [named, { ...makeProofKey().jwk, kid: 'one' }] }, 'holds two keys with the same kid'],
  'one key twice, without a kid': [{ keys: [key.jwk, key.jwk] }, 'holds two keys with the same kid'],
  'a kid that is the thumbprint of another key': [
    { keys: [key.jwk, { ...makeProofKey().jwk, kid: thumbprintOf(key.jwk) }] },
    'holds two keys with the same kid',
  ],
}

for (const [name, [jwks, why]] of Object.entries(BAD_KEYS)) {
  test(`${name} cannot be registered, and nothing is changed`, async () => {
    const credentials = countRows(service.storeFile, 'credential')
    const answer = await createTrust(service, agent, { private_key_jwt: { jwks } })
    assertProblem(answer, 400, 'invalid_request', `private_key_jwt.jwks${why.startsWith('.') ? '' : ' '}${why}.`)
    assert.equal(countRows(service.storeFile, 'credential'), credentials)
    assert.ok(!answer.text.includes(String(key.privateKey.export({ format: 'jwk' }).d)))
  })
}

test('a credential trusts one thing: keys or an address or a workload', async () => {
  const keys = { jwks: { keys: [key.jwk] } }
  const address = { jwks_uri: 'https://keys.example/jwks' }
  const workload = { issuer: 'https://ci.example', subject: 'job:1' }
  const one = 'private_key_jwt needs exactly one of jwks and jwks_uri.'
  const both =
    'The body names more than one of private_key_jwt, workload_identity, tls_client_auth, self_signed_tls_client_auth: choose one.'
  for (const [body, description] of [
    [{ private_key_jwt: { ...keys, ...address } }, one],
    [{ private_key_jwt: {} }, one],
    [{ private_key_jwt: keys, workload_identity: workload }, both],
    [{ workload_identity: workload, tls_client_auth: { san_dns: 'a.example' } }, both],
  ] as const) {
    assertProblem(await createTrust(service, agent, body), 400, 'invalid_request', description)
  }
})

test('a credential with keys cannot be rotated: another takes its place', async () => {
  const id = await registerKeys(service, agent, [key.jwk])
  const path = `${credentialsOf(agent)}/${id}/rotate`
  const answer = await call(service, { method: 'POST', path, body: { grace_seconds: 0 } }, await admin(service))
  const description = 'The credential is no secret: create another, and revoke this one.'
  assertProblem(answer, 400, 'invalid_request', description)
  assert.equal((await askAsserting(service, makeAssertion(service, agent, key))).status, 200)
})

const BAD: Readonly<Record<string, object>> = {
  'an issuer over http': { issuer: 'http://ci.example' },
  'an issuer with a query': { issuer: 'https://ci.example?a=b' },
  'an issuer with a password': { issuer: 'https://a:b@ci.example' },
  'an issuer that is too long': { issuer: `https://ci.example/${'x'.repeat(512)}` },
  'an empty subject': { subject: '' },
  'a subject of everything': { subject: '*' },
  'a beginning that is too short': { subject: 'abc*' },
  'a * inside': { subject: 'repo:*/site' },
  'two of them': { subject: 'repo:acme/**' },
  'a blank in the subject': { subject: 'repo acme' },
  'a subject that is too long': { subject: 'x'.repeat(513) },
  'an empty audience': { audience: '' },
  'an address of keys over http': { jwks_uri: 'http://ci.example/jwks' },
  'an address of keys with a fragment': { jwks_uri: 'https://ci.example/jwks#a' },
  ...Object.fromEntries(HOSTLESS.map(uri => [`the issuer ${uri}, which names no host`, { issuer: uri }])),
  ...Object.fromEntries(HOSTLESS.map(uri => [`the address of keys ${uri}, which names no host`, { jwks_uri: uri }])),
}

for (const [name, more] of Object.entries(BAD)) {
  test(`${name} cannot be configured`, async () => {
    const credentials = countRows(service.storeFile, 'credential')
    const workload = { issuer: 'https://ci.example', subject: 'repo:acme/site', ...more }
    const answer = await createTrust(service, agent, { workload_identity: workload })
    assert.deepEqual([answer.status, (answer.json as { error: string }).error], [400, 'invalid_request'], answer.text)
    assert.equal(countRows(service.storeFile, 'credential'), credentials)
  })
}

const SHOWN = [
  { subject_dn: 'CN=reports,O=Example' },
  { san_dns: 'Reports.example' },
  { san_uri: 'spiffe://example.org/reports' },
  { san_ip: '2001:DB8::1' },
  { san_email: 'reports@example.org' },
]

test('a credential for certificates is shown as it was given, and a pinned certificate by its thumbprint', async () => {
  const [first, second] = [makeCertificate(), makeCertificate()]
  for (const names of SHOWN) {
    const answer = await createTrust(service, agent, { tls_client_auth: { ...names, ...nulls(names) } })
    const { kind, tls_client_auth: shown, client_secret: secret } = answer.json as Readonly<Record<string, unknown>>
    assert.deepEqual([kind, shown, secret], ['tls_client_auth', names, undefined])
  }
  const lax = `\n ${first.cert.replaceAll('\n', ' \r\n\t')}`
  const certificates = [first.cert, second.cert, lax]
  const answer = await createTrust(service, agent, { self_signed_tls_client_auth: { certificates } })
  const { kind, self_signed_tls_client_auth: shown } = answer.json as Readonly<Record<string, unknown>>
  const thumbprints = [first.thumbprint, second.thumbprint]
  assert.deepEqual([kind, shown], ['self_signed_tls_client_auth', { thumbprints }])
})

/** The members that are not in it, as null: not given. */
const nulls = (names: object) =>
  Object.fromEntries(['subject_dn', 'san_dns', 'san_ip'].filter(name => !(name in names)).map(name => [name, null]))

const BAD_NAMES: readonly (readonly [object, string])[] = [
  [{}, ' needs exactly one of subject_dn, san_dns, san_uri, san_ip, san_email.'],
  [
    { san_dns: 'a.example', san_uri: 'spiffe://a/b' },
    ' needs exactly one of subject_dn, san_dns, san_uri, san_ip, san_email.',
  ],
  [
    { subject_dn: '/CN=reports' },
    '.subject_dn is not a distinguished name as RFC 4514 writes it, such as CN=reports,O=Example,C=DE, the last part of the certificate first, of at most 512 characters.',
  ],
  [{ san_dns: '*.example' }, '.san_dns is not a host name without a wildcard, of at most 512 characters.'],
  [{ san_uri: 'reports' }, '.san_uri is not an absolute URI, of at most 512 characters.'],
  [{ san_uri: `spiffe://${'a'.repeat(504)}` }, '.san_uri is not an absolute URI, of at most 512 characters.'],
  [{ san_ip: '10.0.0' }, '.san_ip is not an address of IPv4 or IPv6, of at most 512 characters.'],
  [{ san_email: 'ada' }, '.san_email is not an e-mail address in ASCII, of at most 512 characters.'],
]

for (const [names, why] of BAD_NAMES) {
  test(`a certificate with ${JSON.stringify(names)} cannot be trusted`, async () => {
    const credentials = countRows(service.storeFile, 'credential')
    const answer = await createTrust(service, agent, { tls_client_auth: names })
    assertProblem(answer, 400, 'invalid_request', `tls_client_auth${why}`)
    assert.equal(countRows(service.storeFile, 'credential'), credentials)
  })
}

const KEYS_OF_CERTIFICATES: Readonly<Record<string, readonly [Parameters<typeof generateKeys>, isTaken: boolean]>> = {
  'EC on P-256': [['ec', { namedCurve: 'P-256' }], true],
  'EC on P-384': [['ec', { namedCurve: 'P-384' }], true],
  'EC on P-521': [['ec', { namedCurve: 'P-521' }], false],
  'EC on secp256k1': [['ec', { namedCurve: 'secp256k1' }], false],
  'RSA of 2048 bits': [['rsa', { modulusLength: 2048 }], true],
  'RSA-PSS of 2048 bits': [['rsa-pss', { modulusLength: 2048 }], true],
  Ed25519: [['ed25519'], true],
  Ed448: [['ed448'], false],
  X25519: [['x25519'], false],
  DSA: [['dsa', { modulusLength: 2048 }], false],
}

for (const [name, [kind, isTaken]] of Object.entries(KEYS_OF_CERTIFICATES)) {
  test(`a certificate with a key of ${name} can${isTaken ? '' : 'not'} be pinned`, async () => {
    const authority = makeAuthority('any')
    const { cert } = makeCertificate({ authority, keys: generateKeys(...kind) })
    const answer = await createTrust(service, agent, { self_signed_tls_client_auth: { certificates: [cert] } })
    if (isTaken) return assert.equal(answer.status, 201, answer.text)
    const why =
      'holds a certificate whose key is of a kind that is not taken: RSA of 2048 to 8192 bits, EC on P-256 or P-384, or Ed25519'
    assertProblem(answer, 400, 'invalid_request', `self_signed_tls_client_auth.certificates ${why}.`)
  })
}

test('what is pinned are one to ten certificates, and no key is kept or returned', async () => {
  const { cert, key: pem } = makeCertificate()
  const member = 'self_signed_tls_client_auth.certificates'
  for (const [certificates, why] of [
    [[], 'holds no certificate'],
    [Array.from({ length: 11 }, () => cert), 'holds more than 10 certificates'],
    [[pem], 'holds something other than one certificate in PEM'],
    [[cert + pem], 'holds something other than one certificate in PEM'],
    [[cert, 'x'], 'holds something other than one certificate in PEM'],
  ] as const) {
    const answer = await createTrust(service, agent, { self_signed_tls_client_auth: { certificates } })
    assertProblem(answer, 400, 'invalid_request', `${member} ${why}.`)
  }
})
