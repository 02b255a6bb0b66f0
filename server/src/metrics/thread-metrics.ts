// Opens the metrics of a thread: what it records, and what it measures of itself.
import { type LabelsOf, type Metrics, NO_METRICS } from '../ports/metrics.ts'
import { openRecorder, type ThreadMemory } from './memory.ts'
import { watchThread } from './watch-thread.ts'

/** For the thread that calls it, once. Null: nothing is measured. */
export const openThreadMetrics = (
  memory: ThreadMemory | null,
  thread: LabelsOf<'mintmark_gc_seconds'>['thread'],
): Metrics => {
  if (memory === null) return NO_METRICS
  const metrics = openRecorder(memory)
  watchThread(metrics, thread)
  return metrics
}
