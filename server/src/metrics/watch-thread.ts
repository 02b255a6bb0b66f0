// Opens the metrics of a thread, and what it measures of itself: the delay of its event loop, how busy that is, and its garbage collection.
import { constants, monitorEventLoopDelay, performance, PerformanceObserver } from 'node:perf_hooks'
import { type LabelsOf, type Metrics, NO_METRICS } from '../ports/metrics.ts'
import type { Timing } from '../ports/timing.ts'
import { openRecorder, type ThreadMemory } from './memory.ts'

/** A thread that worked for less than this part of a second had no longer delay in it. */
const RESTING_UTILIZATION = 0.05

type Kind = LabelsOf<'mintmark_gc_seconds'>['kind']

const GC_KINDS: ReadonlyMap<unknown, Kind> = new Map<unknown, Kind>([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weak_callbacks'],
])

/** Returns the kind of a `gc` entry. Whatever else V8 calls a collection is one of the young generation. */
const gcKindOf = (detail: unknown): Kind =>
  (typeof detail === 'object' && detail !== null && 'kind' in detail ? GC_KINDS.get(detail.kind) : undefined) ?? 'minor'

const makeSampler = (resolutionMs: number) => {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  return {
    start: (): void => void delays.enable(),
    stop: (): void => void delays.disable(),
    /** The longest delay since it was last taken, in ms. Measured is the time between two timers that are `resolutionMs` apart. */
    take: (): number => {
      const longestMs = Math.max(0, delays.max / 1e6 - resolutionMs)
      delays.reset()
      return longestMs
    },
  }
}

type Thread = LabelsOf<'mintmark_gc_seconds'>['thread']
type WatchTiming = Pick<Timing, 'eventLoopPublishMs' | 'eventLoopTimerMs' | 'restingEventLoopTimerMs'>

/** Watches the calling thread until it ends; call it once. */
export const watchThread = (metrics: Metrics, thread: Thread, timing: WatchTiming): void => {
  const [often, seldom] = [makeSampler(timing.eventLoopTimerMs), makeSampler(timing.restingEventLoopTimerMs)]
  let sampler = often
  // Goes on until the other one has taken its first sample.
  let leaving: typeof sampler | null = null
  sampler.start()
  let before = performance.eventLoopUtilization()

  const publish = (): void => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    const longestMs = Math.max(sampler.take(), leaving?.take() ?? 0)
    metrics.observe('mintmark_event_loop_delay_seconds', { thread }, longestMs / 1000)
    metrics.add('mintmark_event_loop_busy_seconds_total', { thread }, (now.active - before.active) / 1000)
    before = now
    leaving?.stop()
    leaving = null
    const next = utilization < RESTING_UTILIZATION ? seldom : often
    if (next === sampler) return
    next.start()
    leaving = sampler
    sampler = next
  }

  // After the timers of the samplers that are due too: a delay that has just ended is theirs to see first.
  setInterval(() => setImmediate(publish), timing.eventLoopPublishMs).unref()
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) {
      const kind = gcKindOf('detail' in entry ? entry.detail : undefined)
      metrics.observe('mintmark_gc_seconds', { thread, kind }, entry.duration / 1000)
    }
  }).observe({ entryTypes: ['gc'] })
}

/** Opens the metrics of the calling thread, once. Nothing is measured where `memory` is null. */
export const openThreadMetrics = (memory: ThreadMemory | null, thread: Thread, timing: WatchTiming): Metrics => {
  if (memory === null) return NO_METRICS
  const metrics = openRecorder(memory)
  watchThread(metrics, thread, timing)
  return metrics
}
