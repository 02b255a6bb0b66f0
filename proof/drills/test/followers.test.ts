// What the followers drill says of its slices.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { costsOf, type Slice } from '../feed/followers/summary.ts'

const slice = (issue: number, introspect: number, cpu: number): Slice => ({
  issue,
  introspect,
  cpu,
  busy: 1,
  ends: 10,
  latencies: [],
  followersBusy: 0,
  bytesPerSecond: 0,
})

test('the cost of followers is the median of the ratios within a round, not the ratio of medians', () => {
  // The machine is half as fast in the second round: both of its slices are.
  const rounds = [
    { without: slice(1000, 2000, 100), beside: slice(900, 1900, 110) },
    { without: slice(500, 1000, 200), beside: slice(450, 950, 220) },
    { without: slice(1000, 2000, 100), beside: slice(100, 200, 900) },
  ]
  const { issue, introspect, cpu } = costsOf(rounds)
  assert.deepEqual(
    [issue, introspect, cpu].map(cost => cost.toFixed(3)),
    ['0.100', '0.050', '0.100'],
  )
})

test('a slice that is faster beside followers costs less than nothing', () => {
  const { issue } = costsOf([{ without: slice(1000, 1000, 100), beside: slice(1100, 1000, 100) }])
  assert.equal(issue.toFixed(3), '-0.100')
})
