// The arithmetic of seals: what an entry and a seal are encoded as.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chain, macOf, NOTHING_BEFORE } from '../../../src/store/audit/seal-chain.ts'

const [KEY, OTHER_KEY] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(8)]

test('no two entries have one encoding: where a text ends, and whether there is one, counts', () => {
  const entry = { number: 1, n: 1, at: 1, kind: 'k', actor: 'a', request_id: null, source: null, detail: '{}' }
  const heads = [
    { subject: 'ab', note: 'c' },
    { subject: 'a', note: 'bc' },
    { subject: 'abc', note: '' },
    { subject: 'abc', note: null },
    { subject: null, note: 'abc' },
  ].map(texts => Buffer.from(chain(NOTHING_BEFORE, { ...entry, ...texts })).toString('hex'))
  assert.equal(new Set(heads).size, heads.length)
})

test('the MAC of a seal covers each of its columns and the MAC before it', () => {
  const bytes = new Uint8Array(32)
  const seal = { n: 1, first: 1, last: 2, entries: 2, head: bytes, marks: new Uint8Array(16), at: 7 }
  const others = [
    ...(['n', 'first', 'last', 'entries', 'at'] as const).map(name => ({ ...seal, [name]: 9 })),
    { ...seal, head: bytes.with(0, 1) },
    { ...seal, marks: new Uint8Array(16).with(15, 1) },
    { ...seal, marks: new Uint8Array(8) },
  ]
  const macs = [
    macOf(KEY, seal, NOTHING_BEFORE),
    macOf(KEY, seal, NOTHING_BEFORE.with(0, 1)),
    macOf(OTHER_KEY, seal, NOTHING_BEFORE),
    ...others.map(other => macOf(KEY, other, NOTHING_BEFORE)),
  ]
  assert.equal(new Set(macs.map(mac => Buffer.from(mac).toString('hex'))).size, macs.length)
})
