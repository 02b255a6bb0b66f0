// How often threads of the process have ended by themselves. Each is replaced; where they go on ending, the process is not well,
// and /readyz says so, so that a balancer takes it out and an operator looks.
import type { MonotonicMilliseconds } from '../../../api/values/time.ts'
import type { LabelsOf, Metrics } from '../ports/metrics.ts'
import type { StoreHealth } from '../ports/ports.ts'
import { monotonicMs } from '../store/clocks.ts'

/** The number of ends within {@link WINDOW_MS} that is too many. */
const ENDS_MAX = 5
const WINDOW_MS = 60_000

/** The ends of the latest threads, shared by all: in ms of their common clock, each in the place of the oldest. */
export type ThreadEndCells = Float64Array

export const makeThreadEndCells = (): ThreadEndCells =>
  new Float64Array(new SharedArrayBuffer(ENDS_MAX * Float64Array.BYTES_PER_ELEMENT)).fill(Number.NEGATIVE_INFINITY)

/** Notes the end of a thread. Only the main thread, which sees threads end, calls it. */
export const noteThreadEnd = (cells: ThreadEndCells, now: MonotonicMilliseconds = monotonicMs()): void => {
  cells[cells.indexOf(Math.min(...cells))] = now
}

const REASON = `Threads of the process ended by themselves ${ENDS_MAX} times within a minute; the log has the reasons.`

/** Notes the end of a thread that is replaced, and counts it. */
export const countThreadEnd = (
  cells: ThreadEndCells,
  metrics: Metrics,
  thread: LabelsOf<'mintmark_thread_ends_total'>['thread'],
): void => {
  noteThreadEnd(cells)
  metrics.add('mintmark_thread_ends_total', { thread })
}

/** The health of the store, and of the process. */
export const withThreadEnds = (
  health: StoreHealth,
  cells: ThreadEndCells,
  monotonic: () => MonotonicMilliseconds = monotonicMs,
): StoreHealth => ({
  ...health,
  check: async () => (cells.every(at => monotonic() - at < WINDOW_MS) ? REASON : health.check()),
})
