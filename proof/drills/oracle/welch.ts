// Welch's t-test over two sets of times, as dudect applies it (Reparaz, Balasch, Verbauwhede: "Dude, is my code constant
// time?", 2017): over all of them, and again without the slowest, because a system's own delays hide small differences.

/** The value of |t| beyond which two sets differ: dudect's threshold. */
export const T_MAX = 4.5
/** A smaller difference of the means is no leak over a network, in µs. */
export const EFFECT_US_MAX = 1

/** The share of the fastest, of both sets together, that each comparison keeps. */
const KEPT_SHARES = [1, 0.99, 0.95, 0.9, 0.75, 0.5]
/** Fewer than this in a set say nothing. */
const KEPT_MIN = 100

export type Difference = {
  readonly t: number
  /** The mean of the first less that of the second, in µs. */
  readonly effectUs: number
  /** The share of the fastest that was compared. */
  readonly kept: number
}

type Moments = { readonly count: number; readonly mean: number; readonly variance: number }

/** Returns the moments of the values up to a limit, in one pass (Welford). */
export const momentsOf = (values: ArrayLike<number>, limit = Number.POSITIVE_INFINITY): Moments => {
  let [count, mean, squares] = [0, 0, 0]
  for (let n = 0; n < values.length; n += 1) {
    const value = values[n] ?? Number.NaN
    if (!(value <= limit)) continue
    count += 1
    const off = value - mean
    mean += off / count
    squares += off * (value - mean)
  }
  return { count, mean, variance: squares / (count - 1) }
}

const standardError = (first: Moments, second: Moments): number =>
  Math.sqrt(first.variance / first.count + second.variance / second.count)

export const welchT = (first: Moments, second: Moments): number =>
  (first.mean - second.mean) / standardError(first, second)

const limitAt = (sorted: Float64Array, share: number): number =>
  share === 1 ? Number.POSITIVE_INFINITY : (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN)

/** One difference for each share that is kept; of too few values there is none. */
export const differencesOf = (first: Float64Array, second: Float64Array): readonly Difference[] => {
  const sorted = new Float64Array(first.length + second.length)
  sorted.set(first)
  sorted.set(second, first.length)
  sorted.sort()
  return KEPT_SHARES.flatMap(kept => {
    const limit = limitAt(sorted, kept)
    const [one, other] = [momentsOf(first, limit), momentsOf(second, limit)]
    if (Math.min(one.count, other.count) < KEPT_MIN) return []
    return [{ t: welchT(one, other), effectUs: one.mean - other.mean, kept }]
  })
}

export const isLeak = ({ t, effectUs }: Difference): boolean =>
  Math.abs(t) > T_MAX && Math.abs(effectUs) > EFFECT_US_MAX

export type TwoSets = readonly [Float64Array, Float64Array]

/** The faster half of a set by itself, where outliers are least. */
const fasterHalf = (values: Float64Array): Moments => momentsOf(values, limitAt(values.toSorted(), 0.5))

/** How far the difference of two sets moved from one run to another, in µs, and the t of that. */
export const shiftOf = (before: TwoSets, after: TwoSets): { readonly shiftUs: number; readonly t: number } => {
  const runs = [before, after].map(([first, second]) => {
    const [one, other] = [fasterHalf(first), fasterHalf(second)]
    return { effectUs: one.mean - other.mean, error: standardError(one, other) }
  })
  const [old, moved] = runs
  const shiftUs = (moved?.effectUs ?? Number.NaN) - (old?.effectUs ?? Number.NaN)
  return { shiftUs, t: shiftUs / Math.hypot(...runs.map(({ error }) => error)) }
}

const bySize = (one: Difference, other: Difference): number => Math.abs(other.t) - Math.abs(one.t)

/** The leak with the greatest |t|; where there is none, the difference with the greatest |t|. */
export const greatestOf = (differences: readonly Difference[]): Difference | undefined =>
  differences.filter(isLeak).toSorted(bySize)[0] ?? differences.toSorted(bySize)[0]
