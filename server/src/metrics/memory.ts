// The memory in which the threads of a process record: one slab a thread, which that thread alone writes, so that recording
// needs no lock, and which the main thread reads, so that no scrape waits for a busy thread. A thread that is replaced leaves
// its slab to its successor: counters never fall. A 64-bit cell is written and read whole on the 64-bit machines that Node supports.
import type { MetricName, Metrics } from '../ports/metrics.ts'
import { makeBucketOf } from './buckets.ts'
import { cellOf, type Layout, makeLayout, type MetricPlace, type OpenLists } from './layout.ts'

/** The metric values of one thread. */
export type Slab = Float64Array<SharedArrayBuffer>

/** What a thread needs to record: it passes between threads. */
export type ThreadMemory = { readonly lists: OpenLists; readonly slab: Slab }

/** Forgets the gauges of a thread, which are not numbers until it sets them: what it held when it ended is gone. */
const forgetGauges = ({ places }: Layout, slab: Slab): void => {
  for (const { row, first, series } of places) if (row.kind === 'gauge') slab.fill(Number.NaN, first, first + series)
}

export const makeSlab = (layout: Layout): Slab => {
  const slab = new Float64Array(new SharedArrayBuffer(layout.cells * Float64Array.BYTES_PER_ELEMENT))
  forgetGauges(layout, slab)
  return slab
}

const BUCKETS = { seconds: makeBucketOf('seconds'), counts: makeBucketOf('counts') } as const

const bucketsOf = ({ row: { kind } }: MetricPlace) => (kind === 'counts' ? BUCKETS.counts : BUCKETS.seconds)

/** Opens the memory of the calling thread, the only one that may record in it. */
export const openRecorder = ({ lists, slab }: ThreadMemory): Metrics => {
  const layout = makeLayout(lists)
  forgetGauges(layout, slab)
  const byName = new Map<MetricName, MetricPlace>(layout.places.map(place => [place.name, place]))

  const placeOf = (name: MetricName): MetricPlace => {
    const place = byName.get(name)
    if (place === undefined) throw new Error(`There is no metric ${name}.`)
    return place
  }
  // What a clock that was set back makes negative counts as 0: a sum never falls.
  const increase = (cell: number, by: number): void => {
    if (by > 0) slab[cell] = (slab[cell] ?? 0) + by
  }
  const openHistogram = (place: MetricPlace, cell: number) => {
    const bucketOf = bucketsOf(place)
    return (value: number): void => {
      increase(cell, value)
      increase(cell + 1 + bucketOf(value), 1)
    }
  }

  return {
    add: (name, labels, by = 1) => increase(cellOf(placeOf(name), labels), by),
    observe: (name, labels, value) => {
      const place = placeOf(name)
      openHistogram(place, cellOf(place, labels))(value)
    },
    counter: (name, labels) => {
      const cell = cellOf(placeOf(name), labels)
      return (by = 1) => increase(cell, by)
    },
    histogram: (name, labels) => {
      const place = placeOf(name)
      return openHistogram(place, cellOf(place, labels))
    },
    gauge: (name, labels) => {
      const cell = cellOf(placeOf(name), labels)
      return value => {
        slab[cell] = value
      }
    },
    set: (name, labels, value) => {
      slab[cellOf(placeOf(name), labels)] = value
    },
  }
}
