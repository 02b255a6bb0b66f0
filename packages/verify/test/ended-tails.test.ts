// The index of tokens that ended one by one: exact, small, and forgetful by the second.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { makeEndedTails, type Tail } from '../src/feed/ended-tails.ts'

const NOW = 1_795_435_200

const bytes = new Uint8Array(8)
const view = new DataView(bytes.buffer)

/** Its bytes until the next are asked for. */
const bytesOf = ({ high, low }: Tail): Uint8Array => {
  view.setUint32(0, high)
  view.setUint32(4, low)
  return bytes
}

/** Tails as of UUIDs: each other, and the same in every run. */
const tailOf = (n: number): Tail => ({
  high: (0x8000_0000 + Math.imul(n, 0x9e37_79b1)) >>> 0,
  low: Math.imul(n, 0x85eb_ca6b) >>> 0,
})

const half = fc.integer({ min: 0, max: 0xffff_ffff })
const entry = fc.record({
  exp: fc.integer({ min: NOW, max: NOW + 200 }),
  high: half,
  low: fc.oneof(half, fc.integer({ min: 0, max: 3 })),
})

test('it holds what was added and nothing else, as a set does', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 200 }), fc.array(entry, { maxLength: 50 }), (added, asked) => {
      const index = makeEndedTails()
      const set = new Set<string>()
      for (const { exp, ...tail } of added) {
        index.add(exp, bytesOf(tail))
        set.add(`${exp} ${tail.high} ${tail.low}`)
      }
      assert.equal(index.size(), set.size)
      for (const { exp, ...tail } of [...added, ...asked]) {
        assert.equal(index.has(exp, tail), set.has(`${exp} ${tail.high} ${tail.low}`))
      }
    }),
  )
})

test('what expires in a second or later stays when all before it is dropped', () => {
  const index = makeEndedTails()
  for (let n = 0; n < 300; n += 1) index.add(NOW + n, bytesOf(tailOf(n)))
  index.dropBefore(NOW + 150)
  for (let n = 150; n < 300; n += 1) assert.ok(index.has(NOW + n, tailOf(n)))
  assert.ok(index.size() < 150 + 64, String(index.size()))
  index.dropBefore(NOW + 1000)
  assert.deepEqual([index.size(), index.bytes()], [0, 0])
  index.add(NOW, bytesOf(tailOf(1)))
  assert.equal(index.size(), 0)
})

const MIB = 1_048_576
/** Lifetimes of tokens, in seconds: all in a minute, the usual ones, and a day. */
const SPREADS = [1, 300, 86_400]
const SIZES = [
  [100_000, 4 * MIB],
  [1_000_000, 24 * MIB],
] as const

for (const [count, bytesMax] of SIZES) {
  for (const seconds of SPREADS) {
    test(`${count} tokens that expire within ${seconds} s take at most ${bytesMax / MIB} MiB`, () => {
      const index = makeEndedTails()
      for (let n = 0; n < count; n += 1) index.add(NOW + (n % seconds), bytesOf(tailOf(n)))
      assert.equal(index.size(), count)
      assert.ok(index.bytes() <= bytesMax, `${(index.bytes() / MIB).toFixed(2)} MiB`)
    })
  }
}
