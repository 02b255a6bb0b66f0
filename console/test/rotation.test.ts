// When the key that signs is followed, from the records of the keys.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rotationOf } from '../src/signing-keys/rotation.ts'

const NOW = Date.parse('2026-11-29T20:00:00.000Z')
const KEY = { algorithm: 'ES256', rotates_at: null, rotation_requested: false, ready_in_seconds: null } as const
const LATER = '2026-12-29T20:00:00.000Z'
const READY = '2026-11-29T20:05:00.000Z'

test('a rotation comes at its time, or as soon as the next key is ready where it is requested, due, or of another algorithm', () => {
  const next = { ...KEY, state: 'next', ready_in_seconds: 300 } as const
  const current = { ...KEY, state: 'current', rotates_at: LATER } as const
  for (const [keys, expected] of [
    [[], undefined],
    [[next], undefined],
    [[current], LATER],
    [[current, next], LATER],
    [[{ ...current, rotates_at: null }, next], null],
    [[current, { ...next, rotation_requested: true }], READY],
    [[current, { ...next, algorithm: 'EdDSA' }], READY],
    [
      [
        { ...current, rotates_at: null },
        { ...next, algorithm: 'EdDSA' },
      ],
      READY,
    ],
    [[{ ...current, rotates_at: '2026-11-28T20:00:00.000Z' }, next], READY],
    [[{ ...current, rotates_at: '2026-11-29T20:01:00.000Z' }, next], READY],
  ] as const) {
    assert.equal(rotationOf(keys, NOW), expected)
  }
})
