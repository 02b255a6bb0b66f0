// What the feed drill finds: each violation of the staleness, and none where there is none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeSightings, makeTally, note, quantile, type Sighting } from '../feed/watched-token.ts'

const STALENESS_MS = 1000
const END = { kind: 'single', sentAt: 90, acknowledgedAt: 100 }

const judge = (sighting: Partial<Sighting>) =>
  judgeSightings(END, [{ acceptedAt: null, endedAt: null, revivals: 0, ...sighting }], STALENESS_MS)

test('an acceptance is a violation from beyond the staleness on, and not before', () => {
  assert.deepEqual(judge({ acceptedAt: 1099 }).violations, [])
  assert.deepEqual(judge({ acceptedAt: 1100 }).violations, [])
  assert.deepEqual(judge({ acceptedAt: 1101 }).violations, ['P9: accepted 1.0 ms beyond the staleness (single)'])
})

test('a refusal as ended before the end was asked for is a violation', () => {
  assert.deepEqual(judge({ endedAt: 90 }).violations, [])
  assert.deepEqual(judge({ endedAt: 89 }).violations, ['refused as ended before it was ended (single)'])
})

test('the latency counts from the acknowledgement, and is 0 where the verifier knew before', () => {
  assert.deepEqual(judge({ acceptedAt: 120, endedAt: 143 }).latencies, [43])
  assert.deepEqual(judge({ endedAt: 95 }).latencies, [0])
  const { latencies, unaware } = judge({ acceptedAt: 120 })
  assert.deepEqual([latencies, unaware], [[], 1])
})

test('an acceptance that began after a refusal as ended is a violation, one that began before it is not', () => {
  const tally = makeTally()
  note(tally, 'accepted', 100, 105)
  note(tally, 'ended', 110, 120)
  note(tally, 'accepted', 119, 130)
  assert.deepEqual(judge(tally).violations, [])
  note(tally, 'unknown', 121, 122)
  note(tally, 'accepted', 120, 130)
  assert.deepEqual(tally, { acceptedAt: 120, endedAt: 120, revivals: 1 })
  assert.deepEqual(judge(tally).violations, ['P2: accepted 1 times after it was refused as ended (single)'])
})

test('a quantile is a value that was seen, and NaN of nothing', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1)
  assert.deepEqual(
    [0, 0.5, 0.99, 1].map(share => quantile(hundred, share)),
    [1, 50, 99, 100],
  )
  assert.ok(Number.isNaN(quantile([], 0.5)))
})
