// The flood drill: honest callers keep their answers, and their time, while strangers flood the service. docs/development/drills.md
// says what it measures and what it cannot.
import { availableParallelism, loadavg } from 'node:os'
import { makeBound } from '../../options.ts'
import { print, readOptions, runOnStores } from '../drill.ts'
import { STORES } from '../stores.ts'
import { startBare } from './bare.ts'
import { FLOOD_NAMES } from './flood-kinds.ts'
import { type Run, runCells } from './run.ts'
import { TABLE_HEAD } from './table.ts'
import { startFlooder } from './threads.ts'

const SIZES = [64, 1000, 6000]
const QUICK_SIZES = [64, 1000]
const QUICK_SECONDS = 2

const options = readOptions({
  seconds: 5,
  connections: null,
  addresses: 100,
  flood: FLOOD_NAMES,
  store: STORES,
  workers: 2,
  quick: false,
})
const seconds = options.quick ? QUICK_SECONDS : options.seconds
const usualSizes = options.quick ? QUICK_SIZES : SIZES
const violations: string[] = []
const missed: string[] = []
const run: Run = {
  isOver: makeBound(options),
  seconds,
  addresses: options.addresses,
  workers: options.workers,
  sizes: options.connections === null ? usualSizes : [options.connections],
  floods: FLOOD_NAMES.filter(name => options.flood === null || options.flood === name),
  violations,
  missed,
  bareFigures: new Map(),
  cells: 0,
}

const load = loadavg()[0]?.toFixed(2) ?? 'unknown'
print(`${availableParallelism()} cores, load ${load} before`)
print(
  'Times in ms, from when a request was due; "wanted" is 3 times the calm p99 or 1.5 times that of the bare handler.',
)
await runOnStores({
  name: 'Floods',
  options,
  violations,
  perform: async (store, started, folder) => {
    print(TABLE_HEAD)
    const flooder = startFlooder(started)
    await runCells({ run, store, folder, flooder, startBare: access => startBare(access, started) }, started)
  },
  summary: () => {
    for (const line of missed) print(`MISSED: ${line}`)
    return `${run.cells} floods, ${missed.length} goals missed`
  },
})
