// In this folder: metrics in shared memory: each thread records without locks, the main thread adds up. ports/metrics.ts lists them.
// The cells of a histogram: its sum, then the number of values in each bucket. The bounds of buckets are powers of two.
import type { MetricKind } from '../ports/metrics.ts'

export type HistogramKind = Extract<MetricKind, 'seconds' | 'counts'>

/** The powers of the first and the last bound: durations from 122 µs to 16 s, and numbers from 1 to 4096. */
const POWERS: Readonly<Record<HistogramKind, readonly [first: number, last: number]>> = {
  seconds: [-13, 4],
  counts: [0, 12],
}

/** Ascending. The bucket of a bound holds what is at most that and above the bound before. */
export const boundsOf = (kind: HistogramKind): readonly number[] => {
  const [first, last] = POWERS[kind]
  return Array.from({ length: last - first + 1 }, (_, n) => 2 ** (first + n))
}

/** How many buckets a histogram has: one for each bound, and one for all larger values. */
export const bucketsOf = (kind: HistogramKind): number => boundsOf(kind).length + 1

/** Returns the bucket of a value, from 0. What is not a number counts as 0. */
export const makeBucketOf = (kind: HistogramKind): ((value: number) => number) => {
  const [first, last] = POWERS[kind]
  const bound = 2 ** first
  return value => (value > bound ? Math.min(Math.ceil(Math.log2(value)), last + 1) - first : 0)
}
