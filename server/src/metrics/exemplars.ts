// Exemplars: for each operation and each classic bucket of mintmark_request_seconds, the newest request whose trace is sampled. They lie behind
// the cells of a slab. A number that is odd while one is written keeps a scrape from reading half of it.
import { classicBounds } from './buckets.ts'
import type { Layout, MetricPlace } from './layout.ts'

/** The one metric that has them. */
const METRIC = 'mintmark_request_seconds'
const BOUNDS = classicBounds('seconds').map(({ bound }) => bound)
/** Of a series, with the bucket that has no bound. */
const BUCKETS = BOUNDS.length + 1
/** The number, the value, the time, and the id of the trace. */
const CELLS = 5
const ID_WORDS = 4
const WORD_DIGITS = 8

/** `at` in seconds since 1970. */
export type Exemplar = { readonly traceId: string; readonly value: number; readonly at: number }

const placeOf = ({ places }: Layout): MetricPlace | undefined => places.find(({ name }) => name === METRIC)

/** How many cells of 8 bytes they need. */
export const exemplarCells = (layout: Layout): number => (placeOf(layout)?.series ?? 0) * BUCKETS * CELLS

const viewOf = (buffer: SharedArrayBuffer) => ({
  numbers: new Int32Array(buffer),
  values: new Float64Array(buffer),
  words: new Uint32Array(buffer),
})

/** Writes those of one thread. */
export const openExemplars = (layout: Layout, buffer: SharedArrayBuffer) => {
  const { numbers, values, words } = viewOf(buffer)
  const first = placeOf(layout)?.first ?? 0
  const cells = placeOf(layout)?.cells ?? 1
  /** `cell` is the first of the series that is observed. */
  return (name: string, cell: number, value: number, traceId: string): void => {
    if (name !== METRIC) return
    const found = BOUNDS.findIndex(bound => value <= bound)
    const bucket = found === -1 ? BOUNDS.length : found
    const at = layout.cells + CELLS * (((cell - first) / cells) * BUCKETS + bucket)
    const number = Atomics.load(numbers, 2 * at)
    Atomics.store(numbers, 2 * at, (number + 1) | 1)
    values[at + 1] = value
    values[at + 2] = Date.now() / 1000
    for (let n = 0; n < ID_WORDS; n += 1) {
      words[2 * (at + 3) + n] = Number.parseInt(traceId.slice(n * WORD_DIGITS, (n + 1) * WORD_DIGITS), 16)
    }
    Atomics.store(numbers, 2 * at, ((number + 1) | 1) + 1)
  }
}

const readOne = (buffer: SharedArrayBuffer, at: number): Exemplar | undefined => {
  const { numbers, values, words } = viewOf(buffer)
  const number = Atomics.load(numbers, 2 * at)
  if (number === 0 || number % 2 !== 0) return undefined
  const id = Array.from(words.subarray(2 * (at + 3), 2 * (at + 3) + ID_WORDS))
  const traceId = id.map(word => word.toString(16).padStart(WORD_DIGITS, '0')).join('')
  const exemplar = { traceId, value: values[at + 1] ?? 0, at: values[at + 2] ?? 0 }
  return Atomics.load(numbers, 2 * at) === number ? exemplar : undefined
}

/** Of the series `n` of a metric, for each classic bucket the newest of all threads; undefined for a metric that has none. */
export const readExemplars = (
  layout: Layout,
  { name }: MetricPlace,
  n: number,
  buffers: readonly SharedArrayBuffer[],
): readonly (Exemplar | undefined)[] | undefined =>
  name === METRIC
    ? Array.from({ length: BUCKETS }, (_, bucket) => {
        const at = layout.cells + CELLS * (n * BUCKETS + bucket)
        const found = buffers.map(buffer => readOne(buffer, at)).filter(one => one !== undefined)
        return found.toSorted((a, b) => b.at - a.at)[0]
      })
    : undefined
