// Adds up what all threads have recorded: the series of every metric, as each exposition shows them.
import type { MetricRow } from '../ports/metrics.ts'
import { type Layout, labelsAt, type MetricPlace } from './layout.ts'
import type { Slab } from './memory.ts'

type LabelValues = Readonly<Record<string, string>>

/** `buckets`: how many values each bucket of buckets.ts holds; their sum is the count. */
export type Histogram = { readonly sum: number; readonly count: number; readonly buckets: Float64Array }

export type Series = { readonly labels: LabelValues; readonly value: number | Histogram }

/** `name`: of the table, or of the process's own metrics. */
export type Family = Pick<MetricRow, 'kind' | 'help'> & {
  readonly name: string
  readonly series: readonly Series[]
}

/**
 * A counter of at most so many series shows all of them from the start, at 0: a rate needs a value from before the first
 * event. Other series appear with their first event.
 */
const SERIES_AT_ZERO = 64

/** A gauge that no thread has set is not a number; one that some have set is the sum of theirs. */
const sumOf = (slabs: readonly Slab[], cells: number): Float64Array => {
  const total = new Float64Array(cells).fill(Number.NaN)
  for (const slab of slabs) {
    for (let n = 0; n < cells; n += 1) {
      const sum = total[n] ?? 0
      const value = slab[n] ?? 0
      if (!Number.isNaN(value)) total[n] = Number.isNaN(sum) ? value : sum + value
    }
  }
  return total
}

const histogramAt = (total: Float64Array, { cells }: MetricPlace, at: number): Histogram => {
  const buckets = total.subarray(at + 1, at + cells)
  return { sum: total[at] ?? 0, count: buckets.reduce((sum, value) => sum + value, 0), buckets }
}

const isShown = ({ row: { kind }, series }: MetricPlace, value: number | Histogram): boolean => {
  if (typeof value === 'object') return value.count > 0
  return kind === 'gauge' ? !Number.isNaN(value) : series <= SERIES_AT_ZERO || value > 0
}

const familyOf = (total: Float64Array, place: MetricPlace): Family => {
  const { name, row, first, cells } = place
  const series = Array.from({ length: place.series }, (_, n): Series => {
    const at = first + n * cells
    const value = cells === 1 ? (total[at] ?? 0) : histogramAt(total, place, at)
    return { labels: labelsAt(place, n), value }
  }).filter(({ value }) => isShown(place, value))
  return { name, kind: row.kind, help: row.help, series }
}

/** Every metric of the table that has something to show, in its order. */
export const readMemory = (layout: Layout, slabs: readonly Slab[]): readonly Family[] => {
  const { places, cells } = layout
  const total = sumOf(slabs, cells)
  return places.map(place => familyOf(total, place)).filter(({ series }) => series.length > 0)
}
