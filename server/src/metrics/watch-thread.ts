// What a thread measures of itself: the delay of its event loop, how busy that is, and its garbage collection.
import { constants, monitorEventLoopDelay, performance, PerformanceObserver } from 'node:perf_hooks'
import type { LabelsOf, Metrics } from '../ports/metrics.ts'

const EVERY_MS = 1000
const RESOLUTION_MS = 10

type Kind = LabelsOf<'mintmark_gc_seconds'>['kind']

const GC_KINDS: ReadonlyMap<unknown, Kind> = new Map<unknown, Kind>([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weak_callbacks'],
])

/** Of an entry of the kind `gc`. Whatever else V8 calls a collection is one of the young generation. */
const gcKindOf = (detail: unknown): Kind =>
  (typeof detail === 'object' && detail !== null && 'kind' in detail ? GC_KINDS.get(detail.kind) : undefined) ?? 'minor'

/** Watches the calling thread until it ends; call it once. */
export const watchThread = (metrics: Metrics, thread: LabelsOf<'mintmark_gc_seconds'>['thread']): void => {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  let before = performance.eventLoopUtilization()

  const publish = (): void => {
    // Measured is the time between two timers that are RESOLUTION_MS apart.
    const longestMs = Math.max(0, delays.max / 1e6 - RESOLUTION_MS)
    delays.reset()
    metrics.observe('mintmark_event_loop_delay_seconds', { thread }, longestMs / 1000)
    const now = performance.eventLoopUtilization()
    metrics.add('mintmark_event_loop_busy_seconds_total', { thread }, (now.active - before.active) / 1000)
    before = now
  }

  setInterval(publish, EVERY_MS).unref()
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) {
      const kind = gcKindOf('detail' in entry ? entry.detail : undefined)
      metrics.observe('mintmark_gc_seconds', { thread, kind }, entry.duration / 1000)
    }
  }).observe({ entryTypes: ['gc'] })
}
