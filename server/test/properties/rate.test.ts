// The sliding count of tokens against a plain list of all of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  countIssued,
  DAY_WINDOW,
  earliestIssue,
  type Issued,
  MINUTE_WINDOW,
  type RateWindow,
} from '../../src/domain/ledger/rate.ts'

/** A small generator whose seed a failure prints (mulberry32). */
const randomOf = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const WINDOWS: readonly (readonly [string, RateWindow])[] = [
  ['a minute', MINUTE_WINDOW],
  ['a day', DAY_WINDOW],
]

/** Asks at random instants, some of them a little before the last; the instants of what was issued, by time. */
const live = (window: RateWindow, max: number, random: () => number): readonly number[] => {
  const lengthMs = window.slotMs * window.slots
  const issued: number[] = []
  let counts: readonly Issued[] = []
  let now = Date.UTC(2026, 10, 21)
  for (let n = 0; n < 2000; n += 1) {
    now += Math.floor((random() ** 4 * lengthMs) / 2)
    const at = now - Math.floor(random() * 4600)
    const from = earliestIssue(counts, max, window, at)
    const within = issued.filter(one => one > at - lengthMs - window.slotMs).length
    if (from === at) {
      issued.push(at)
      counts = countIssued(counts, window, at)
    } else {
      assert.ok(from > at)
      assert.ok(within >= max, `refused although only ${within} of ${max} were issued`)
      assert.equal(earliestIssue(counts, max, window, from), from, 'what was returned as the earliest is not')
      assert.ok(earliestIssue(counts, max, window, from - 1) > from - 1, 'there was an earlier one')
    }
  }
  assert.ok(counts.length <= window.slots + 11)
  return issued.toSorted((a, b) => a - b)
}

for (const [name, window] of WINDOWS) {
  test(`no span of ${name} holds more tokens than the limit, and no more is withheld than a slot's worth of time`, () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const random = randomOf(seed)
      const max = 1 + Math.floor(random() * 30)
      const issued = live(window, max, random)
      assert.ok(issued.length > max, `seed ${seed}`)
      issued.forEach((at, n) => {
        const before = issued[n - max]
        assert.ok(before === undefined || at - before >= window.slotMs * window.slots, `seed ${seed}, token ${n}`)
      })
    }
  })
}
