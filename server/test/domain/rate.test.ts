// Counts of issued tokens by slots: what is counted, what is forgotten, and when the next token fits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countIssued, DAY_WINDOW, earliestIssue, MINUTE_WINDOW, type RateWindow } from '../../src/domain/ledger/rate.ts'

const WINDOW: RateWindow = { slotMs: 1000, slots: 60 }

test('the windows are a minute of seconds and a day of ten minutes', () => {
  assert.deepEqual(MINUTE_WINDOW, WINDOW)
  assert.deepEqual(DAY_WINDOW, { slotMs: 600_000, slots: 144 })
})

test('a token counts in the slot of its time, in order, also where it is written late', () => {
  const first = countIssued([], WINDOW, 100_999)
  assert.deepEqual(first, [{ slot: 100, count: 1 }])
  const second = countIssued(first, WINDOW, 100_000)
  assert.deepEqual(second, [{ slot: 100, count: 2 }])
  const third = countIssued(countIssued(second, WINDOW, 102_000), WINDOW, 101_000)
  assert.deepEqual(third, [
    { slot: 100, count: 2 },
    { slot: 101, count: 1 },
    { slot: 102, count: 1 },
  ])
})

test('a slot is forgotten once no window and no late token can need it', () => {
  const counts = [
    { slot: 29, count: 1 },
    { slot: 30, count: 2 },
    { slot: 99, count: 3 },
  ]
  assert.deepEqual(countIssued(counts, WINDOW, 100_000), [...counts.slice(1), { slot: 100, count: 1 }])
})

test('while there is room the next token fits at once, and else when the slot that is in the way has left the window', () => {
  const at = 100_500
  const counts = [
    { slot: 39, count: 9 },
    { slot: 40, count: 1 },
    { slot: 90, count: 2 },
    { slot: 101, count: 1 },
  ]
  assert.equal(earliestIssue(counts, 5, WINDOW, at), at)
  assert.equal(earliestIssue(counts, 4, WINDOW, at), 101_000)
  assert.equal(earliestIssue(counts, 3, WINDOW, at), 151_000)
  assert.equal(earliestIssue(counts, 1, WINDOW, at), 162_000)
  assert.equal(earliestIssue(counts.slice(2, 3), 2, WINDOW, at), 151_000, 'the only slot that has any')
  assert.equal(earliestIssue([], 1, WINDOW, at), at)
})
