// The cells of a histogram: its sum, then the number of values in each bucket. Buckets are those of schema 3 of native
// histograms, each 2^(1/8) times as wide as the one before, so that Prometheus takes them as they are; every eighth bound is a
// power of two, and these are the bounds for scrapers that know only classic histograms.
// Source: https://prometheus.io/docs/specs/native_histograms/
import type { MetricKind } from '../ports/metrics.ts'

export const SCHEMA = 3
const PER_DOUBLING = 2 ** SCHEMA

export type HistogramKind = Extract<MetricKind, 'seconds' | 'counts'>

type Scale = {
  /** 2 to this power is the upper bound of the first bucket, which holds all smaller values too. */
  readonly lowest: number
  /** 2 to this power is the upper bound of the last bucket, which holds all larger values too. */
  readonly highest: number
  /** The powers of the first and the last bound of classic buckets. */
  readonly classic: readonly [number, number]
}

/** Durations from 8 µs to 128 s, and numbers from 1 to 8192; 1 must not be the smallest bound, at which all below begins. */
export const SCALES: Readonly<Record<HistogramKind, Scale>> = {
  seconds: { lowest: -17, highest: 7, classic: [-13, 4] },
  counts: { lowest: -1, highest: 13, classic: [0, 12] },
}

/** How many buckets a histogram has. */
export const bucketsOf = (kind: HistogramKind): number =>
  (SCALES[kind].highest - SCALES[kind].lowest) * PER_DOUBLING + 1

/** Returns the bucket of a value, from 0. What is not a number counts as 0. */
export const makeBucketOf = (kind: HistogramKind): ((value: number) => number) => {
  const { lowest, highest } = SCALES[kind]
  const [bound, first, last] = [2 ** lowest, lowest * PER_DOUBLING, highest * PER_DOUBLING]
  return value => (value > bound ? Math.min(Math.ceil(PER_DOUBLING * Math.log2(value)), last) - first : 0)
}

/** The largest value in a bucket, except that the last bucket has none. */
export const boundOf = (kind: HistogramKind, bucket: number): number =>
  2 ** (SCALES[kind].lowest + bucket / PER_DOUBLING)

/** The number of a bucket in a native histogram: it holds what is at most 2^(n / 8). The first is the zero bucket. */
export const nativeIndexOf = (kind: HistogramKind, bucket: number): number =>
  SCALES[kind].lowest * PER_DOUBLING + bucket

/** Bounds of classic buckets, each with the number of cells that it covers, ascending. */
export const classicBounds = (kind: HistogramKind): readonly { readonly bound: number; readonly cells: number }[] => {
  const { lowest, classic } = SCALES[kind]
  const [from, to] = classic
  return Array.from({ length: to - from + 1 }, (_, n) => from + n).map(power => ({
    bound: 2 ** power,
    cells: (power - lowest) * PER_DOUBLING + 1,
  }))
}
