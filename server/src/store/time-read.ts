// Measures reads of the store, whatever comes of them.
import type { LabelsOf, Metrics } from '../ports/metrics.ts'
import { monotonicMs } from './clocks.ts'

type Kind = LabelsOf<'mintmark_store_read_seconds'>['kind']

export const timeRead = async <T>(metrics: Metrics, kind: Kind, read: Promise<T>): Promise<T> => {
  const began = monotonicMs()
  try {
    return await read
  } finally {
    metrics.observe('mintmark_store_read_seconds', { kind }, (monotonicMs() - began) / 1000)
  }
}
