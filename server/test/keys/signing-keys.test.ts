// Signing keys at rest: opened by the key-encryption key that sealed them, unchanged, or not at all.
import assert from 'node:assert/strict'
import { createPublicKey, sign, verify } from 'node:crypto'
import { test } from 'node:test'
import { calculateJwkThumbprint } from 'jose'
import { keyEncryptionKeyId, parseKeyEncryptionKey } from '../../src/keys/at-rest/sealed-bytes.ts'
import { makeSigningKey, openSigningKey } from '../../src/keys/tokens/signing-keys.ts'

const KEY_ENCRYPTION_KEY = Buffer.alloc(32, 7)
const OTHER_KEY_ENCRYPTION_KEY = Buffer.alloc(32, 8)
const sealed = makeSigningKey(KEY_ENCRYPTION_KEY)

test('a sealed key opens to the private half of its public key', () => {
  const publicKey = createPublicKey({ key: sealed.publicJwk, format: 'jwk' })
  const signature = sign('sha256', Buffer.from('text'), openSigningKey(KEY_ENCRYPTION_KEY, sealed))
  assert.ok(verify('sha256', Buffer.from('text'), publicKey, signature))
})

test('the published key holds public members only, and its kid is the RFC 7638 thumbprint', async () => {
  assert.deepEqual(Object.keys(sealed.publicJwk).toSorted(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  assert.equal(sealed.publicJwk.kid, await calculateJwkThumbprint(sealed.publicJwk))
})

test('no two keys are the same, nor are two seals of the same length alike', () => {
  const other = makeSigningKey(KEY_ENCRYPTION_KEY)
  assert.notEqual(other.publicJwk.kid, sealed.publicJwk.kid)
  assert.notDeepEqual(other.sealedPrivateKey.subarray(0, 12), sealed.sealedPrivateKey.subarray(0, 12))
})

test('another key-encryption key is refused, and the message names both by their ids', () => {
  assert.throws(
    () => openSigningKey(OTHER_KEY_ENCRYPTION_KEY, sealed),
    (error: Error) => {
      assert.ok(error.message.includes(sealed.publicJwk.kid))
      assert.ok(error.message.includes(keyEncryptionKeyId(KEY_ENCRYPTION_KEY)))
      assert.ok(error.message.includes(keyEncryptionKeyId(OTHER_KEY_ENCRYPTION_KEY)))
      return true
    },
  )
})

test('another key-encryption key under the id of the right one is refused too', () => {
  const keyEncryptionKeyIdOfOther = keyEncryptionKeyId(OTHER_KEY_ENCRYPTION_KEY)
  const claimed = { ...sealed, keyEncryptionKeyId: keyEncryptionKeyIdOfOther }
  assert.throws(() => openSigningKey(OTHER_KEY_ENCRYPTION_KEY, claimed), /was changed in the store/)
})

test('a sealed key with any one byte flipped, or cut short, is refused', () => {
  for (let at = 0; at < sealed.sealedPrivateKey.length; at += 1) {
    const sealedPrivateKey = Uint8Array.from(sealed.sealedPrivateKey)
    sealedPrivateKey[at] = (sealedPrivateKey[at] ?? 0) ^ 1
    assert.throws(() => openSigningKey(KEY_ENCRYPTION_KEY, { ...sealed, sealedPrivateKey }), /was changed in the store/)
  }
  for (const length of [0, 11, 12, 27, 28, 29, sealed.sealedPrivateKey.length - 1]) {
    const sealedPrivateKey = sealed.sealedPrivateKey.subarray(0, length)
    assert.throws(() => openSigningKey(KEY_ENCRYPTION_KEY, { ...sealed, sealedPrivateKey }), /was changed in the store/)
  }
})

test('a sealed key in the row of another public key is refused', () => {
  const { publicJwk } = makeSigningKey(KEY_ENCRYPTION_KEY)
  assert.throws(() => openSigningKey(KEY_ENCRYPTION_KEY, { ...sealed, publicJwk }), /was changed in the store/)
  const mixed = { ...publicJwk, kid: sealed.publicJwk.kid }
  assert.throws(() => openSigningKey(KEY_ENCRYPTION_KEY, { ...sealed, publicJwk: mixed }), /does not belong to/)
})

test('the id of a key-encryption key is 16 hexadecimal digits, its own', () => {
  assert.match(keyEncryptionKeyId(KEY_ENCRYPTION_KEY), /^[0-9a-f]{16}$/)
  assert.notEqual(keyEncryptionKeyId(KEY_ENCRYPTION_KEY), keyEncryptionKeyId(OTHER_KEY_ENCRYPTION_KEY))
})

test('a key-encryption key is 32 bytes in base64, and nothing else', () => {
  const text = KEY_ENCRYPTION_KEY.toString('base64')
  assert.deepEqual(parseKeyEncryptionKey(text), KEY_ENCRYPTION_KEY)
  const others = ['', text.slice(0, -1), `${text}\n`, ` ${text}`, Buffer.alloc(31).toString('base64'), 'a'.repeat(32)]
  others.push(
    Buffer.alloc(33).toString('base64'),
    `${text.slice(0, 42)}d=`,
    Buffer.alloc(32, 255).toString('base64url'),
  )
  for (const other of others) assert.equal(parseKeyEncryptionKey(other), undefined, other)
})
