// RSA keys that must not be believed, at each edge.
import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { bearsRocaFingerprint, rsaWeakness } from '../../src/keys/providers/rsa-strength.ts'
import { makeRocaPair } from '../../../testkit/keys/roca-key.ts'

const ROCA = 'an RSA key that is known to be weak (ROCA, CVE-2017-15361): make another with another device or library'
const EXPONENT = 'an RSA key with an exponent other than an odd one from 65537 to 4294967295'

const rsa = (modulusLength: number, publicExponent = 65_537): KeyObject =>
  generateKeyPairSync('rsa', { modulusLength, publicExponent }).publicKey

const GOOD = rsa(2048)

const withExponent = (bytes: readonly number[]): KeyObject => {
  const e = Buffer.from(bytes).toString('base64url')
  return createPublicKey({ key: { ...GOOD.export({ format: 'jwk' }), e }, format: 'jwk' })
}

test('a key of 2048 to 8192 bits and an odd exponent from 65537 to 2^32 - 1 has no known weakness', () => {
  const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey
  for (const key of [GOOD, pss, rsa(3072), withExponent([1, 0, 3]), withExponent([255, 255, 255, 255])]) {
    assert.equal(rsaWeakness(key), undefined)
  }
})

test('a key of another kind is none of RSA', () => {
  assert.equal(rsaWeakness(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey), undefined)
  assert.equal(rsaWeakness(generateKeyPairSync('ed25519').publicKey), undefined)
})

test('a key is judged by its bits', () => {
  for (const bits of [1024, 2040, 2047]) {
    assert.equal(rsaWeakness(rsa(bits)), `an RSA key of ${bits} bits, not of 2048 to 8192`)
  }
  const n = Buffer.alloc(1025, 0xff).fill(1, 0, 1).toString('base64url')
  const long = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' })
  assert.equal(rsaWeakness(long), 'an RSA key of 8193 bits, not of 2048 to 8192')
})

test('an exponent that is small, even or large is refused, however many bytes it has', () => {
  const exponents = [[1], [3], [255, 255], [1, 0, 0], [1, 0, 0, 0, 1], Array.from({ length: 150_000 }, () => 255)]
  for (const exponent of exponents) assert.equal(rsaWeakness(withExponent(exponent)), EXPONENT)
})

test('a key of the library of CVE-2017-15361 is recognized by its modulus', () => {
  assert.equal(rsaWeakness(makeRocaPair().publicKey), ROCA)
})

test('no modulus that another library made bears the fingerprint, nor does a neighbour of one that does', () => {
  const modulusOf = (key: KeyObject): bigint =>
    BigInt(`0x${Buffer.from(key.export({ format: 'jwk' }).n ?? '', 'base64url').toString('hex')}`)
  for (let n = 0; n < 20; n += 1) assert.equal(bearsRocaFingerprint(modulusOf(rsa(1024))), false)
  const modulus = modulusOf(makeRocaPair().publicKey)
  assert.deepEqual([modulus, modulus + 2n, modulus - 2n].map(bearsRocaFingerprint), [true, false, false])
})

test('the fingerprint is that of the published detector: all residues are powers of 65537', () => {
  // 65537 is -1 modulo 11, and of order 8 modulo 17: 1, 2, 4, 8, 9, 13, 15 and 16.
  assert.deepEqual([1n, 65_537n, 65_537n ** 2n, 65_537n ** 50n].map(bearsRocaFingerprint), [true, true, true, true])
  assert.deepEqual([0n, 2n, 3n, 11n, 65_539n].map(bearsRocaFingerprint), [false, false, false, false, false])
})
