// Metrics of the process itself: processor time, memory, open files, its start, and the version of Node.
import { collectDefaultMetrics, Registry } from '@prometheus-io/client'
import type { Family } from './read-memory.ts'

/** The client's default metrics that describe the process. The others describe the main thread alone; the table has them for every thread. */
const OF_THE_PROCESS = /^process_|^nodejs_version_info$/

// The client's types call it a number, which it is not.
const isCounter = (type: unknown): boolean => type === 'counter'

/** The longest time that a timer of Node has. */
const NEVER_MS = 2 ** 31 - 1

/**
 * The client watches the event loop for metrics that are not shown: a hundred and ten times a second it would wake a thread that
 * rests otherwise.
 */
const UNWATCHED = { eventLoopMonitoringPrecision: NEVER_MS, eventLoopUtilizationTimeout: NEVER_MS }

export const makeProcessMetrics = (): (() => Promise<readonly Family[]>) => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, ...UNWATCHED })
  for (const { name } of registry.getMetricsAsArray()) {
    if (!OF_THE_PROCESS.test(name)) registry.removeSingleMetric(name)
  }
  return async () =>
    (await registry.getMetricsAsJSON()).map(({ name, help, type, values }) => ({
      name,
      help,
      kind: isCounter(type) ? 'counter' : 'gauge',
      series: values.map(({ labels, value }) => ({
        labels: Object.fromEntries(Object.entries(labels).map(([label, text]) => [label, String(text)])),
        value,
      })),
    }))
}
