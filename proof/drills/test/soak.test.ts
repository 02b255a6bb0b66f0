// What the soak drill makes of its rows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeSoak, type SoakRow } from '../overload/judge-soak.ts'

const FLAT: SoakRow = {
  seconds: 60,
  perSecond: 500,
  failed: 0,
  introspectionP99: 10,
  issueP99: 20,
  residentMiB: 400,
  descriptors: 54,
  walMiB: 4,
}

/** Nine rows, of which the last three differ. */
const endingIn = (changed: Partial<SoakRow>): readonly SoakRow[] =>
  Array.from({ length: 9 }, (_, n) => ({ ...FLAT, ...(n >= 6 && changed) }))

test('a soak is flat where the last third is as the second, whatever the first was', () => {
  assert.deepEqual(judgeSoak(endingIn({})), [])
  assert.deepEqual(judgeSoak(endingIn({}).map((row, n) => ({ ...row, residentMiB: n < 3 ? 100 : 400 }))), [])
})

test('growth is named with its measure, and what is within the bounds is none', () => {
  assert.deepEqual(
    judgeSoak(endingIn({ residentMiB: 420, descriptors: 58, walMiB: 12, introspectionP99: 15, issueP99: 25 })),
    [],
  )
  assert.deepEqual(judgeSoak(endingIn({ residentMiB: 421 })), ['memory grew from 400.0 to 421.0 MiB'])
  assert.deepEqual(judgeSoak(endingIn({ descriptors: 59 })), ['descriptors grew from 54.0 to 59.0'])
  assert.deepEqual(judgeSoak(endingIn({ walMiB: 12.1 })), ['the WAL grew from 4.0 to 12.1 MiB'])
  assert.deepEqual(judgeSoak(endingIn({ introspectionP99: 15.1 })), ["introspection's p99 grew from 10.0 to 15.1 ms"])
  assert.deepEqual(judgeSoak(endingIn({ issueP99: 25.1 })), ["an issue's p99 grew from 20.0 to 25.1 ms"])
})

test('one bad minute is no growth, a store without a WAL is flat, and five rows prove nothing', () => {
  const bad = endingIn({}).map((row, n) => ({ ...row, introspectionP99: n === 8 ? 5000 : 10 }))
  assert.deepEqual(judgeSoak(bad), [])
  assert.deepEqual(judgeSoak(endingIn({}).map(row => ({ ...row, walMiB: Number.NaN }))), [])
  assert.match(judgeSoak(endingIn({}).slice(0, 5))[0] ?? '', /^only 5 rows/)
})
