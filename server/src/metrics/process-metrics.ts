// What the process tells of itself: processor time, memory, open files, its start, and the version of Node.
import { collectDefaultMetrics, Registry } from '@prometheus-io/client'
import type { Family } from './read-memory.ts'

/** Of the client's default metrics. The others are of the main thread alone; the table has them for every thread. */
const OF_THE_PROCESS = /^process_|^nodejs_version_info$/

// The client's types call it a number, which it is not.
const isCounter = (type: unknown): boolean => type === 'counter'

export const makeProcessMetrics = (): (() => Promise<readonly Family[]>) => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
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
