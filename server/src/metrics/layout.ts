// Where each series of each metric lies in the memory of a thread.
import { METRICS, type MetricKind, type MetricName, type MetricRow } from '../ports/metrics.ts'
import { bucketsOf } from './buckets.ts'

/** The values of the open lists of a process. */
export type OpenLists = Readonly<Record<'operations' | 'codes' | 'tasks', readonly string[]>>

const OTHER = 'other'

type LabelPlace = {
  readonly name: string
  readonly values: readonly string[]
  /** The position of each value; one that is missing is the last. */
  readonly positions: ReadonlyMap<string, number>
  /** Series that lie between two of its values. */
  readonly step: number
}

/** A metric in memory: its series lie behind one another, the last label varies fastest. */
export type MetricPlace = {
  readonly name: MetricName
  readonly row: MetricRow
  readonly labels: readonly LabelPlace[]
  readonly first: number
  readonly series: number
  /** Cells of a series: 1, or of a histogram its sum and its buckets. */
  readonly cells: number
}

export type Layout = { readonly places: readonly MetricPlace[]; readonly cells: number }

const cellsOf = (kind: MetricKind): number => (kind === 'counter' || kind === 'gauge' ? 1 : 1 + bucketsOf(kind))

const labelsOf = ({ labels }: MetricRow, lists: OpenLists): readonly LabelPlace[] => {
  const places: LabelPlace[] = []
  let step = 1
  for (const [name, list] of Object.entries(labels).toReversed()) {
    const values = typeof list === 'string' ? [...lists[list], OTHER] : list
    places.unshift({ name, values, positions: new Map(values.map((value, n) => [value, n])), step })
    step *= values.length
  }
  return places
}

/** Makes the layout, which is the same in every thread for the same lists. */
export const makeLayout = (lists: OpenLists): Layout => {
  let first = 0
  const rows: [string, MetricRow][] = Object.entries(METRICS)
  const places = rows.map(([name, row]) => {
    const labels = labelsOf(row, lists)
    const series = labels.reduce((product, { values }) => product * values.length, 1)
    const place = { name: name as MetricName, row, labels, first, series, cells: cellsOf(row.kind) }
    first += series * place.cells
    return place
  })
  return { places, cells: first }
}

/** The first cell of the series with these labels. */
export const cellOf = ({ labels, first, cells }: MetricPlace, given: Readonly<Record<string, string>>): number => {
  let series = 0
  for (const { name, values, positions, step } of labels) {
    series += step * (positions.get(given[name] ?? OTHER) ?? values.length - 1)
  }
  return first + series * cells
}

/** The labels of the series `n` of a metric. */
export const labelsAt = ({ labels }: MetricPlace, n: number): Readonly<Record<string, string>> =>
  Object.fromEntries(
    labels.map(({ name, values, step }) => [name, values[Math.floor(n / step) % values.length] ?? OTHER]),
  )
