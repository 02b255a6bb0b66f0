// Bytes under the key-encryption key: they open under that key, for their purpose, and whole.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditSealKey, deriveKey, seal, unseal } from '../../src/keys/at-rest/sealed-bytes.ts'

const KEY = new Uint8Array(32).fill(1)
const OTHER_KEY = new Uint8Array(32).fill(2)
const PLAIN = Buffer.from('a private key')

test('what is sealed opens under its key', () => {
  assert.deepEqual(unseal(KEY, seal(KEY, PLAIN, 'kid-1'), 'kid-1'), PLAIN)
  assert.deepEqual(unseal(KEY, seal(KEY, new Uint8Array(), 'kid-1'), 'kid-1'), Buffer.alloc(0))
  assert.equal(unseal(OTHER_KEY, seal(KEY, PLAIN, 'kid-1'), 'kid-1'), undefined)
})

test('what is sealed for one purpose opens for no other', () => {
  for (const purpose of ['kid-2', '', 'kid-1 '])
    assert.equal(unseal(KEY, seal(KEY, PLAIN, 'kid-1'), purpose), undefined)
})

test('what was shortened or changed does not open, and what is too short is no fault', () => {
  const sealed = seal(KEY, PLAIN, 'kid-1')
  for (let length = 0; length < sealed.length; length += 1) {
    assert.equal(unseal(KEY, sealed.subarray(0, length), 'kid-1'), undefined)
  }
  for (let n = 0; n < sealed.length; n += 1) {
    const changed = Uint8Array.from(sealed)
    changed[n] = (changed[n] ?? 0) ^ 1
    assert.equal(unseal(KEY, changed, 'kid-1'), undefined)
  }
})

test('no two seals of the same bytes are alike, and keys that are derived for two purposes differ', () => {
  assert.notDeepEqual(seal(KEY, PLAIN, 'kid-1'), seal(KEY, PLAIN, 'kid-1'))
  const derived = [deriveKey(KEY, 'one'), deriveKey(KEY, 'two'), deriveKey(OTHER_KEY, 'one'), auditSealKey(KEY)]
  assert.equal(new Set(derived.map(key => Buffer.from(key).toString('hex'))).size, derived.length)
  for (const key of derived) assert.equal(key.length, 32)
})
