// The statistics of the oracle drill, and the leaks that it can be tested with.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { applyLeak, isFound, SEEDED_LEAKS, type SeededLeak } from '../oracle/seeded-leaks.ts'
import { differenceOf, normalize } from '../oracle/responses.ts'
import { differencesOf, greatestOf, isLeak, momentsOf, shiftOf, welchT } from '../oracle/welch.ts'
import { makeRandom } from '../random.ts'

const SAMPLES = 20_000

/** Times around 100 µs, of which one in twenty is delayed by up to 10 ms, as by a busy system. */
const timesOf = (seed: number, more: number): Float64Array => {
  const { between, chance } = makeRandom(seed)
  return Float64Array.from(
    { length: SAMPLES },
    () => 100 + more + between(0, 40) + (chance(0.05) ? between(0, 10_000) : 0),
  )
}

test("the t of Welch's test, the mean and the variance are those of another program", () => {
  // The figures are those of Python's module statistics.
  const first = [27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4]
  const second = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 33.1]
  const moments = momentsOf(first)
  assert.ok(Math.abs(moments.mean - 20.82) < 1e-9)
  assert.ok(Math.abs(moments.variance - 7.867428571428573) < 1e-9, String(moments.variance))
  assert.ok(Math.abs(welchT(moments, momentsOf(second)) - -2.90083489300435) < 1e-9)
})

test('what lies above the limit is left out', () => {
  assert.deepEqual(momentsOf([1, 2, 3, 1000], 3), { count: 3, mean: 2, variance: 1 })
})

test('two sets of the same kind are no leak', () => {
  const greatest = greatestOf(differencesOf(timesOf(1, 0), timesOf(2, 0)))
  assert.ok(greatest !== undefined && !isLeak(greatest), JSON.stringify(greatest))
})

test('5 µs that outliers hide are found once the slowest are left out', () => {
  const differences = differencesOf(timesOf(1, 5), timesOf(2, 0))
  const whole = differences.find(({ kept }) => kept === 1)
  assert.ok(whole !== undefined && !isLeak(whole), JSON.stringify(whole))
  const greatest = greatestOf(differences)
  assert.ok(greatest !== undefined && isLeak(greatest) && greatest.kept < 1, JSON.stringify(greatest))
  assert.ok(Math.abs(greatest.effectUs - 5) < 2)
})

test('a difference below 1 µs is no leak however certain it is, and a large one is none where it is chance', () => {
  assert.equal(isLeak({ t: 100, effectUs: 1, kept: 1 }), false)
  assert.equal(isLeak({ t: -4.5, effectUs: -50, kept: 1 }), false)
  assert.equal(isLeak({ t: -4.6, effectUs: -1.1, kept: 1 }), true)
})

test('a leak is preferred to a greater t that is none', () => {
  const leak = { t: 5, effectUs: 2, kept: 0.9 }
  assert.deepEqual(greatestOf([{ t: 50, effectUs: 0.5, kept: 1 }, leak]), leak)
})

test('a seeded leak is found by how far it moves a difference that is there without it', () => {
  const leaking = timesOf(1, 40)
  const before = [leaking, timesOf(2, 0)] as const
  const after = [leaking, timesOf(3, 10)] as const
  const moved = shiftOf(before, after)
  assert.ok(Math.abs(moved.shiftUs - -10) < 2, JSON.stringify(moved))
  assert.ok(isFound(SEEDED_LEAKS['unknown-client'], moved))
  assert.equal(isFound(SEEDED_LEAKS['expired-token'], moved), false)
  assert.equal(isFound(SEEDED_LEAKS['unknown-client'], shiftOf(before, before)), false)
  assert.equal(isFound(SEEDED_LEAKS['unknown-client'], { shiftUs: -10, t: 4.4 }), false)
  assert.equal(isFound(SEEDED_LEAKS['unknown-client'], { shiftUs: -21, t: -50 }), false)
  const none = new Float64Array()
  assert.equal(isFound(SEEDED_LEAKS['unknown-client'], shiftOf([none, none], after)), false)
})

test('of fewer than 100 samples there is no difference', () => {
  assert.equal(greatestOf(differencesOf(new Float64Array(99), new Float64Array(99))), undefined)
})

const answerOf = (date: string, id: string, body: string): string =>
  `HTTP/1.1 401 Unauthorized\r\nx-request-id: ${id}\r\ncontent-type: a/b\r\nDate: ${date}\r\n\r\n${body}`

test('answers that differ by their date and the id of the request are the same, and no others are', () => {
  const one = normalize(answerOf('today', '1', 'date: x\r\n'))
  assert.equal(one, normalize(answerOf('tomorrow', '2', 'date: x\r\n')))
  assert.equal(one, 'HTTP/1.1 401 Unauthorized\r\ncontent-type: a/b\r\n\r\ndate: x\r\n')
  assert.equal(differenceOf(new Set([one]), new Set([one])), null)
  assert.match(differenceOf(new Set([one]), new Set([one, 'other'])) ?? '', /only the other "other"/)
})

test('each seeded leak changes a text that is in the source exactly once', () => {
  for (const leak of Object.values<SeededLeak>(SEEDED_LEAKS)) {
    const source = readFileSync(join(import.meta.dirname, '../../../server/src', leak.file), 'utf8')
    assert.ok(applyLeak(leak, source).includes('hrtime'), leak.file)
    assert.throws(() => applyLeak(leak, `${source}\n${source}`), /not exactly once/)
    assert.throws(() => applyLeak(leak, ''), /not exactly once/)
  }
})
