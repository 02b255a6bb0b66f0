// In this folder: charts over time: from a series of the API to lines on a canvas and a table of the same figures.
// What the charts show of a series over time: lines with a value for each point, and their sums.
import type { ShowUsageSeriesAnswer } from '../../../packages/client/src/index.ts'
import { formatCount } from '../parts/format-number.ts'

export type Point = ShowUsageSeriesAnswer['data'][number]

/** A color of the design, by its role. */
export type Tone = 'accent' | 'warning' | 'danger' | 'quiet'

export type Line = {
  readonly title: string
  readonly tone: Tone
  /** One for each point. */
  readonly values: readonly number[]
  /** Whether each value is exact; otherwise it is a lower bound. */
  readonly exact: readonly boolean[]
}

export type ChartLines = { readonly title: string; readonly lines: readonly Line[] }

type Counted = 'issued' | 'refused' | 'active' | 'inactive'

const lineOf = (points: readonly Point[], title: string, tone: Tone, member: Counted): Line => ({
  title,
  tone,
  values: points.map(point => point[member]),
  exact: points.map(() => true),
})

export const tokenLines = (points: readonly Point[]): ChartLines => ({
  title: 'Token requests',
  lines: [lineOf(points, 'Issued', 'accent', 'issued'), lineOf(points, 'Refused', 'danger', 'refused')],
})

export const introspectionLines = (points: readonly Point[]): ChartLines => ({
  title: 'Introspections',
  lines: [lineOf(points, 'Active', 'accent', 'active'), lineOf(points, 'Inactive', 'warning', 'inactive')],
})

/** Reasons beyond these are one line: nobody reads more than four colors apart. */
const REASONS_SHOWN = 3
const REASON_TONES: readonly Tone[] = ['danger', 'warning', 'accent']

const formatReason = (reason: string): string => {
  const words = reason.replaceAll('_', ' ')
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const endsOf = (points: readonly Point[], reasons: readonly string[], title: string, tone: Tone): Line => {
  const found = points.map(({ ended }) => ended.filter(({ reason }) => reasons.includes(reason)))
  return {
    title,
    tone,
    values: found.map(each => sum(each.map(({ count }) => count))),
    exact: found.map(each => each.every(({ exact }) => exact)),
  }
}

/** The reasons by which most ended, each a line; all others together are one more. */
export const endLines = (points: readonly Point[]): ChartLines => {
  const totals = new Map<string, number>()
  for (const { ended } of points)
    for (const { reason, count } of ended) totals.set(reason, (totals.get(reason) ?? 0) + count)
  const reasons = [...totals].toSorted((a, b) => b[1] - a[1]).map(([reason]) => reason)
  // In one order, whichever is the most by now: no color changes its meaning because two of them change places.
  const shown = reasons.slice(0, REASONS_SHOWN).toSorted()
  const rest = reasons.slice(REASONS_SHOWN)
  const lines = shown.map((reason, n) => endsOf(points, [reason], formatReason(reason), REASON_TONES[n] ?? 'quiet'))
  const others = rest.length === 0 ? [] : [endsOf(points, rest, 'Other reasons', 'quiet')]
  const none = lines.length === 0 ? [endsOf(points, [], 'Ended', 'danger')] : []
  return { title: 'Ended before expiry', lines: [...lines, ...others, ...none] }
}

/** Each line on top of those before it, so that the highest is the sum. */
export const stack = (lines: readonly Line[]): readonly (readonly number[])[] => {
  const heights: (readonly number[])[] = []
  for (const { values } of lines) {
    const below = heights.at(-1)
    heights.push(below === undefined ? values : values.map((value, n) => value + (below[n] ?? 0)))
  }
  return heights
}

/** Formats the value of one point, or of all where it is undefined. */
export const formatValue = ({ values, exact }: Line, point: number | undefined): string => {
  const value = point === undefined ? sum(values) : (values[point] ?? 0)
  const isExact = point === undefined ? exact.every(Boolean) : exact[point] !== false
  return formatCount({ count: value, exact: isExact })
}
