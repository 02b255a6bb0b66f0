// Private keys from outside: what is taken, under which name, and what is refused without a word of the key.
import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { calculateJwkThumbprint } from 'jose'
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../../../api/values/algorithms.ts'
import { readPrivateKey } from '../../src/keys/at-rest/read-private-key.ts'
import { makeRocaPair } from '../../../testkit/keys/roca-key.ts'
import { ALGORITHMS, bareJwkOf } from '../../src/keys/tokens/signing-algorithms.ts'
import { makeSigningKeyMaker, openSigningKey } from '../../src/keys/tokens/signing-keys.ts'

const KEY_ENCRYPTION_KEY = Buffer.alloc(32, 7)

const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' })
const jwkOf = (key: KeyObject): Record<string, unknown> => ({ ...key.export({ format: 'jwk' }) })
const wrongOf = (given: string | object, alg: SigningAlgorithm, kid: string | null = null): string => {
  const read = readPrivateKey(given, kid, alg)
  return 'wrong' in read ? read.wrong : assert.fail('It was taken.')
}

for (const alg of SIGNING_ALGORITHMS) {
  const { privateKey } = ALGORITHMS[alg].make()
  const maker = makeSigningKeyMaker(KEY_ENCRYPTION_KEY, alg)

  test(`${alg}: PEM and JWK give the same key, under its thumbprint, under the name in the JWK, or under a given one`, async () => {
    const thumbprint = await calculateJwkThumbprint({ ...bareJwkOf(privateKey, alg) })
    for (const [given, kid, expected] of [
      [pemOf(privateKey), null, thumbprint],
      [pemOf(privateKey), 'old-1', 'old-1'],
      [jwkOf(privateKey), null, thumbprint],
      [{ ...jwkOf(privateKey), kid: 'its-own', use: 'sig', key_ops: ['sign'], alg }, null, 'its-own'],
      [{ ...jwkOf(privateKey), kid: 'its-own' }, 'given', 'given'],
    ] as const) {
      const sealed = maker.read(given, kid)
      assert.ok(!('wrong' in sealed), JSON.stringify(sealed))
      assert.deepEqual(sealed.publicJwk, { ...bareJwkOf(privateKey, alg), kid: expected, use: 'sig' })
      assert.equal(sealed.thumbprint, thumbprint)
      const opened = openSigningKey(KEY_ENCRYPTION_KEY, sealed)
      assert.ok(opened.equals(privateKey))
    }
  })

  test(`${alg}: a key of any other algorithm is refused`, () => {
    for (const other of SIGNING_ALGORITHMS.filter(one => one !== alg)) {
      const foreign = ALGORITHMS[other].make().privateKey
      assert.match(wrongOf(pemOf(foreign), alg), new RegExp(`which ${alg} needs`))
      assert.match(wrongOf(jwkOf(foreign), alg), new RegExp(`which ${alg} needs`))
    }
  })
}

const rsa = (modulusLength: number, publicExponent = 65_537): KeyObject =>
  generateKeyPairSync('rsa', { modulusLength, publicExponent }).privateKey

test('an RSA key has 2048 to 4096 bits and the exponent 65537', () => {
  assert.ok('privateKey' in readPrivateKey(pemOf(rsa(2048)), null, 'RS256'))
  assert.match(wrongOf(pemOf(rsa(2047)), 'RS256'), /2047 bits, not of 2048 to 4096/)
  assert.match(wrongOf(pemOf(rsa(1024)), 'RS256'), /1024 bits/)
  assert.match(wrongOf(pemOf(rsa(2048, 3)), 'RS256'), /another exponent than 65537/)
})

test('an RSA key of CVE-2017-15361 is refused, as PEM and as a JWK', () => {
  const { privateKey } = makeRocaPair()
  for (const given of [pemOf(privateKey), jwkOf(privateKey)]) {
    assert.match(
      wrongOf(given, 'RS256'),
      /^private_key is an RSA key that is known to be weak \(ROCA, CVE-2017-15361\)/,
    )
  }
})

test('an RSA key for PSS alone is refused, and so is an EC key on another curve', () => {
  const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey
  assert.match(wrongOf(pemOf(pss), 'RS256'), /not an RSA key/)
  for (const namedCurve of ['P-384', 'secp256k1']) {
    const key = generateKeyPairSync('ec', { namedCurve }).privateKey
    assert.match(wrongOf(pemOf(key), 'ES256'), /not an EC key on P-256/)
    assert.match(wrongOf(jwkOf(key), 'ES256'), /not an EC key on P-256/)
  }
})

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const otherEc = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const ed = generateKeyPairSync('ed25519').privateKey
const bigRsa = rsa(2048)

test('halves that do not belong together are refused, in every kind of key', () => {
  const { x, y } = jwkOf(otherEc)
  assert.match(wrongOf({ ...jwkOf(ec), x, y }, 'ES256'), /does not belong|none that can be read/)
  assert.match(wrongOf({ ...jwkOf(ec), d: jwkOf(otherEc)['d'] }, 'ES256'), /does not belong|none that can be read/)
  const otherEd = jwkOf(generateKeyPairSync('ed25519').privateKey)
  assert.match(wrongOf({ ...jwkOf(ed), x: otherEd['x'] }, 'EdDSA'), /does not belong|none that can be read/)
  const otherRsa = jwkOf(rsa(2048))
  assert.match(wrongOf({ ...jwkOf(bigRsa), n: otherRsa['n'] }, 'RS256'), /does not belong|none that can be read/)
  const ml = generateKeyPairSync('ml-dsa-65').privateKey
  const otherMl = jwkOf(generateKeyPairSync('ml-dsa-65').privateKey)
  assert.match(wrongOf({ ...jwkOf(ml), pub: otherMl['pub'] }, 'ML-DSA-65'), /does not belong|none that can be read/)
})

const encrypted = ec.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'secret' })
const { d: _d, ...publicHalf } = jwkOf(ec)

for (const [name, given] of Object.entries<string | object>({
  'no key': 'not a key',
  nothing: '',
  'an encrypted key': encrypted,
  'SEC 1': ec.export({ format: 'pem', type: 'sec1' }),
  'a public key': pemOf(ec).replaceAll('PRIVATE', 'PUBLIC'),
  'a public JWK': publicHalf,
  'a symmetric key': { kty: 'oct', k: 'c2VjcmV0' },
  'an empty object': {},
  'a list': [jwkOf(ec)],
  'a JWK with a number in it': { ...jwkOf(ec), d: 7 },
})) {
  test(`${name} is refused as no private key, and nothing of it is repeated`, () => {
    assert.match(wrongOf(given, 'ES256'), /^private_key is none that can be read: send PKCS#8 in PEM/)
  })
}

test('a JWK for another use, algorithm or operation is refused', () => {
  assert.match(wrongOf({ ...jwkOf(ec), use: 'enc' }, 'ES256'), /whose use is not sig/)
  assert.match(wrongOf({ ...jwkOf(ec), alg: 'ECDH-ES' }, 'ES256'), /whose alg is not ES256/)
  assert.match(wrongOf({ ...jwkOf(bigRsa), alg: 'RS512' }, 'RS256'), /whose alg is not RS256/)
  assert.match(wrongOf({ ...jwkOf(ec), key_ops: ['verify'] }, 'ES256'), /key_ops do not name sign/)
  assert.match(wrongOf({ ...jwkOf(ec), key_ops: 'sign' }, 'ES256'), /key_ops do not name sign/)
  assert.ok('privateKey' in readPrivateKey({ ...jwkOf(ed), alg: 'Ed25519' }, null, 'EdDSA'))
})

test('a kid is 1 to 128 printable ASCII characters without spaces', () => {
  for (const kid of ['k', 'k'.repeat(128), 'arn:aws:kms:eu-west-1:1:key/2', '"\\~!']) {
    assert.ok('privateKey' in readPrivateKey(pemOf(ec), kid, 'ES256'), kid)
  }
  for (const kid of ['', 'k'.repeat(129), 'a b', 'ü', 'a\nb', '\x7f']) {
    assert.match(wrongOf(pemOf(ec), 'ES256', kid), /^kid is not 1 to 128/)
    assert.match(wrongOf({ ...jwkOf(ec), kid }, 'ES256'), /^kid is not 1 to 128/)
  }
  assert.match(wrongOf({ ...jwkOf(ec), kid: 7 }, 'ES256'), /^kid is not 1 to 128/)
})
