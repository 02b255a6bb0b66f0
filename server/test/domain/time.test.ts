// Times on the wire: every text that RFC 3339 §5.6 allows, in every year that four digits can write, and nothing else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatTime, parseTime } from '../../../api/values/time.ts'

const FIRST = Date.parse('0000-01-01T00:00:00Z')
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

test('every year from 0000 to 9999 is taken, and written as it was read', () => {
  for (let year = 0; year <= 9999; year += 1) {
    const text = `${String(year).padStart(4, '0')}-02-28T23:59:59.000Z`
    const instant = parseTime(text)
    assert.ok(instant !== undefined, text)
    assert.equal(formatTime(instant), text)
  }
})

test('fractions, offsets and lower case name the instant that they are', () => {
  const cases: readonly [string, string][] = [
    ['0272-09-04T10:11:12Z', '0272-09-04T10:11:12.000Z'],
    ['1969-12-31t23:59:59.5z', '1969-12-31T23:59:59.500Z'],
    ['2026-11-21T09:30:05.123456789+02:00', '2026-11-21T07:30:05.123Z'],
    ['2026-11-21T09:30:05-00:00', '2026-11-21T09:30:05.000Z'],
    ['0000-02-29T00:00:00Z', '0000-02-29T00:00:00.000Z'],
    ['2024-02-29T23:00:00-23:59', '2024-03-01T22:59:00.000Z'],
  ]
  for (const [text, written] of cases) assert.equal(formatTime(parseTime(text) ?? Number.NaN), written, text)
})

test('a time whose year in UTC has not four digits is the first or the last instant that can be written', () => {
  assert.equal(parseTime('0000-01-01T00:00:00Z'), FIRST)
  assert.equal(parseTime('0000-01-01T00:00:00+00:01'), FIRST)
  assert.equal(parseTime('9999-12-31T23:59:59.999Z'), LAST)
  assert.equal(parseTime('9999-12-31T23:59:59-00:01'), LAST)
})

test('a leap second is taken at the end of a month of UTC, as the second that follows; nowhere else', () => {
  const next = Date.parse('2017-01-01T00:00:00Z')
  assert.equal(parseTime('2016-12-31T23:59:60Z'), next)
  assert.equal(parseTime('2016-12-31T15:59:60.25-08:00'), next + 250)
  assert.equal(parseTime('2017-01-01T01:29:60+01:30'), next)
  for (const text of [
    '2016-12-31T23:58:60Z',
    '2016-12-30T23:59:60Z',
    '2016-12-31T23:59:60-08:00',
    '2016-12-31T23:59:61Z',
  ])
    assert.equal(parseTime(text), undefined, text)
})

test('what is no RFC 3339 time is none', () => {
  const wrong = ['', '2026-11-21', '272-01-01T00:00:00Z', '+010000-01-01T00:00:00Z', '-000001-01-01T00:00:00Z']
  const parts = ['2026-02-30', '2023-02-29', '1900-02-29', '2026-13-01', '2026-00-10', '2026-04-31', '2026-01-00']
  const rest = ['T24:00:00Z', 'T00:60:00Z', 'T00:00:00', 'T00:00:00.Z', ' 00:00:00Z', 'T00:00:00+24:00', 'T00:00Z']
  const texts = [...wrong, ...parts.map(day => `${day}T00:00:00Z`), ...rest.map(time => `2026-11-21${time}`)]
  for (const text of texts) assert.equal(parseTime(text), undefined, text)
})

test('every time has one width, and texts sort as their instants do', () => {
  const instant = fc.integer({ min: FIRST, max: LAST })
  const apart = fc.constantFrom(0, 1, 999, 1000, 60_000)
  fc.assert(
    fc.property(instant, apart, fc.boolean(), (any, ms, isWhole) => {
      const from = isWhole ? any - (any % 1000) : any
      const to = Math.min(from + ms, LAST)
      assert.equal(formatTime(from).length, '2026-11-21T09:30:05.000Z'.length)
      assert.equal(formatTime(from) < formatTime(to), from < to)
      assert.equal(parseTime(formatTime(from)), from)
    }),
  )
})
