// The memory in which the threads of a process record: one slab a thread, which that thread alone writes, so that recording
// needs no lock, and which the main thread reads, so that no scrape waits for a busy thread. A thread that is replaced leaves
// its slab to its successor: counters never fall. A 64-bit cell is written and read whole on the 64-bit machines that Node supports.
import type { LabelsOf, MetricName, Metrics } from '../ports/metrics.ts'
import { bucketOf } from './buckets.ts'
import { exemplarCells, openExemplars } from './exemplars.ts'
import { cellOf, type Layout, makeLayout, type MetricPlace, type OpenLists } from './layout.ts'

/** Of one thread. */
export type Slab = Float64Array<SharedArrayBuffer>

/** What a thread needs to record: it passes between threads. */
export type ThreadMemory = { readonly lists: OpenLists; readonly slab: Slab }

/** Forgets the gauges of a thread, which are not numbers until it sets them: what it held when it ended is gone. */
const forgetGauges = ({ places }: Layout, slab: Slab): void => {
  for (const { row, first, series } of places) if (row.kind === 'gauge') slab.fill(Number.NaN, first, first + series)
}

export const makeSlab = (layout: Layout): Slab => {
  const slab = new Float64Array(
    new SharedArrayBuffer((layout.cells + exemplarCells(layout)) * Float64Array.BYTES_PER_ELEMENT),
    0,
    layout.cells,
  )
  forgetGauges(layout, slab)
  return slab
}

const histogramKindOf = ({ row: { kind } }: MetricPlace) => (kind === 'counts' ? 'counts' : 'seconds')

/** Opens the memory of the calling thread, the only one that may record in it. */
export const openRecorder = ({ lists, slab }: ThreadMemory): Metrics => {
  const layout = makeLayout(lists)
  forgetGauges(layout, slab)
  const byName = new Map<MetricName, MetricPlace>(layout.places.map(place => [place.name, place]))

  const exemplify = openExemplars(layout, slab.buffer)

  const record = <N extends MetricName>(
    name: N,
    labels: LabelsOf<N>,
    write: (cell: number, place: MetricPlace) => void,
  ): void => {
    const place = byName.get(name)
    if (place !== undefined) write(cellOf(place, labels), place)
  }
  // What a clock that was set back makes negative counts as 0: a sum never falls.
  const increase = (cell: number, by: number): void => {
    if (by > 0) slab[cell] = (slab[cell] ?? 0) + by
  }

  return {
    add: (name, labels, by = 1) => record(name, labels, cell => increase(cell, by)),
    observe: (name, labels, value, traceId) =>
      record(name, labels, (cell, place) => {
        increase(cell, value)
        increase(cell + 1 + bucketOf(histogramKindOf(place), value), 1)
        if (traceId !== undefined) exemplify(name, cell, value, traceId)
      }),
    set: (name, labels, value) =>
      record(name, labels, cell => {
        slab[cell] = value
      }),
  }
}
