// Which keys of a provider's set are kept, and what each permits.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import {
  parseProviderAlgorithm,
  parseProviderKey,
  permits,
  pickKey,
  type ProviderAlgorithm,
  type ProviderKey,
} from '../../src/keys/providers/provider-key.ts'

type Jwk = Readonly<Record<string, unknown>>
const rsa = (modulusLength: number, publicExponent = 65_537): Jwk => ({
  ...generateKeyPairSync('rsa', { modulusLength, publicExponent }).publicKey.export({ format: 'jwk' }),
})
const ec = (namedCurve: string): Jwk => ({
  ...generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' }),
})
const base64url = (...bytes: readonly number[]): string => Buffer.from(bytes).toString('base64url')

const RSA = rsa(2048)
const P256 = ec('P-256')
const P384 = ec('P-384')
const ED25519: Jwk = { ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) }
const ALGORITHMS: readonly ProviderAlgorithm[] = ['RS256', 'PS256', 'ES256', 'ES384', 'Ed25519']

const permitted = (jwk: Jwk, kid?: string): readonly ProviderAlgorithm[] => {
  const key = parseProviderKey(jwk)
  assert.ok(key)
  return ALGORITHMS.filter(algorithm => permits(key, algorithm, kid))
}

const PERMITTED: readonly (readonly [string, Jwk, readonly ProviderAlgorithm[]])[] = [
  ['an RSA key', RSA, ['RS256', 'PS256']],
  ['an RSA key for PS256', { ...RSA, alg: 'PS256' }, ['PS256']],
  ['a P-256 key', P256, ['ES256']],
  ['a P-384 key', P384, ['ES384']],
  ['an Ed25519 key', ED25519, ['Ed25519']],
  ['an Ed25519 key under the older name', { ...ED25519, alg: 'EdDSA' }, ['Ed25519']],
  ['a key for signatures', { ...P256, use: 'sig', key_ops: ['verify'] }, ['ES256']],
]

for (const [name, jwk, algorithms] of PERMITTED) {
  test(`${name} permits ${algorithms.join(' and ')}`, () => assert.deepEqual(permitted(jwk), algorithms))
}

test('a key permits its own kid, and every token without one', () => {
  assert.deepEqual(permitted({ ...P256, kid: 'a' }), ['ES256'])
  assert.deepEqual(permitted({ ...P256, kid: 'a' }, 'a'), ['ES256'])
  assert.deepEqual(permitted({ ...P256, kid: 'a' }, 'b'), [])
  assert.deepEqual(permitted(P256, 'a'), [])
})

const IGNORED: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['an array', [P256]],
  ['a string', 'key'],
  ['a key for encryption', { ...P256, use: 'enc' }],
  ['a key that may only sign', { ...P256, key_ops: ['sign'] }],
  ['a key whose key_ops is no array', { ...P256, key_ops: 'verify' }],
  ['a key with its private half', { ...P256, d: P256['x'] }],
  ['a private key with null in it', { ...RSA, p: null }],
  ['a shared secret', { kty: 'oct', k: base64url(1, 2, 3), alg: 'HS256' }],
  ['a key for an algorithm that is not known', { ...RSA, alg: 'RS1' }],
  ['a P-256 key that claims RS256', { ...P256, alg: 'RS256' }],
  ['a key for HS256', { ...RSA, alg: 'HS256' }],
  ['a key whose kid is no string', { ...P256, kid: 1 }],
  ['a key with a number as coordinate', { ...P256, x: 1 }],
  ['a key with a member of 1401 characters', { ...RSA, e: 'x'.repeat(1401) }],
  ['a key on a curve that is not taken', ec('secp256k1')],
  ['a key of an unknown type', { kty: 'XYZ', x: 'AA' }],
]

for (const [name, jwk] of IGNORED) {
  test(`${name} in a key set is ignored`, () => assert.equal(parseProviderKey(jwk), undefined))
}

const BITS = (bits: number) => `an RSA key of ${bits} bits, not of 2048 to 8192`
const EXPONENT = 'an RSA key with an exponent other than an odd one from 65537 to 4294967295'
const NONE = 'no public key of its kind'

const WEAK: readonly (readonly [string, Jwk, string])[] = [
  ['an RSA key of 1024 bits', rsa(1024), BITS(1024)],
  ['an RSA key of 2040 bits', rsa(2040), BITS(2040)],
  ['an RSA key with exponent 1', { ...RSA, e: base64url(1) }, EXPONENT],
  ['an RSA key with exponent 3', rsa(2048, 3), EXPONENT],
  ['an RSA key with an even exponent', { ...RSA, e: base64url(1, 0, 2) }, EXPONENT],
  ['an RSA key with an exponent of five bytes', { ...RSA, e: base64url(1, 0, 0, 0, 1) }, EXPONENT],
  ['an RSA key without a modulus', { ...RSA, n: undefined }, NONE],
  ['a point that is not on its curve', { ...P256, x: P256['y'] }, NONE],
]

for (const [name, jwk, wrong] of WEAK) {
  test(`${name} is reported with what is wrong with it once it is read`, () => {
    assert.deepEqual(parseProviderKey(jwk)?.read(), { wrong })
  })
}

test('a key is read once for all callers', () => {
  const key = parseProviderKey(P256)
  assert.ok(key)
  assert.equal(key.read(), key.read())
})

const other = (kid: string): ProviderKey => parseProviderKey({ ...ec('P-256'), kid }) ?? assert.fail()

test('of the keys that fit the one good key is picked, or it is said why there is none', () => {
  const [good, weak] = [other('a'), parseProviderKey({ ...rsa(1024), kid: 'weak' }) ?? assert.fail()]
  assert.deepEqual(pickKey([good], 'the client'), good.read())
  assert.deepEqual(pickKey([weak, good], 'the client'), good.read())
  assert.deepEqual(pickKey([good, weak, other('b')], 'the client'), { wrong: 'more than one key of the client fits' })
  assert.deepEqual(pickKey([], 'the client'), { wrong: 'the client has no key that fits kid and alg' })
  const why = `the key of the client that fits kid and alg is ${BITS(1024)}`
  assert.deepEqual(pickKey([weak], 'the client'), { wrong: why })
})

for (const name of [
  'none',
  'None',
  'NONE',
  'nOnE',
  '',
  'HS256',
  'rs256',
  'toString',
  '__proto__',
  undefined,
  null,
  1,
  ['ES256'],
]) {
  test(`${JSON.stringify(name)} is no algorithm`, () => assert.equal(parseProviderAlgorithm(name), undefined))
}
