// The lines of the charts: their sums, what is not counted to its end, and the reasons that are shown by themselves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endLines, formatValue, type Point, stack, tokenLines } from '../src/charts/chart-lines.ts'
import { formatBoth, formatUtc } from '../src/charts/point-time.ts'

type Ended = Point['ended'][number]

const end = (reason: string, count: number, exact = true): Ended => ({ reason, count, exact })

const pointsOf = (...ends: readonly (readonly Ended[])[]): readonly Point[] =>
  ends.map((ended, n) => ({
    from: `2026-11-26T01:0${n}:00Z`,
    issued: 1000 * n,
    refused: n,
    active: 0,
    inactive: 0,
    ended: [...ended],
  }))

test('a line has the value of the pointed point, and the sum of all where none is pointed at', () => {
  const [issued, refused] = tokenLines(pointsOf([], [], [])).lines
  assert.ok(issued !== undefined && refused !== undefined)
  assert.deepEqual([formatValue(issued, 1), formatValue(issued, undefined)], ['1,000', '3,000'])
  assert.deepEqual(stack([issued, refused]), [
    [0, 1000, 2000],
    [0, 1001, 2002],
  ])
})

test('three reasons have lines of their own, in one order, and all others are one line', () => {
  const { lines } = endLines(
    pointsOf(
      [end('superseded', 9), end('manual_revocation', 5), end('agent_disabled', 1)],
      [end('bulk_revocation', 10_000, false), end('self_revocation', 2)],
    ),
  )
  assert.deepEqual(
    lines.map(line => [line.title, formatValue(line, 0), formatValue(line, 1), formatValue(line, undefined)]),
    [
      ['Bulk revocation', '0', '10,000+', '10,000+'],
      ['Manual revocation', '5', '0', '5'],
      ['Superseded', '9', '0', '9'],
      ['Other reasons', '1', '2', '3'],
    ],
  )
  assert.equal(new Set(lines.map(({ tone }) => tone)).size, 4)
  assert.deepEqual(
    endLines(pointsOf([])).lines.map(line => [line.title, formatValue(line, undefined)]),
    [['Ended', '0']],
  )
})

test('an instant is read out in UTC, and in the zone of the reader where that is another', () => {
  const at = '2026-11-26T01:05:00.000Z'
  assert.equal(formatUtc(at), 'Nov 26, 01:05')
  assert.match(formatBoth(at), /^(?:.+, )?Nov 26, 01:05 UTC$/)
})
