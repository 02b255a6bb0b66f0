// What is measured of work that waits for its turn: how much of it waits now, and how long it waited.
import type { LabelsOf, Metrics } from './metrics.ts'

export type WorkWaits = {
  /** Called with how much waits, whenever that changes. */
  readonly onWaiting: (count: number) => void
  /** Called once for what had to wait, when its turn comes or its deadline has passed. */
  readonly onWaited: (milliseconds: number) => void
}

const ignore = (): void => undefined

export const UNMEASURED: WorkWaits = { onWaiting: ignore, onWaited: ignore }

export const measureWaits = (metrics: Metrics, work: LabelsOf<'mintmark_work_wait_seconds'>['work']): WorkWaits => {
  const observe = metrics.histogram('mintmark_work_wait_seconds', { work })
  return {
    onWaiting: metrics.gauge('mintmark_work_waiting', { work }),
    onWaited: milliseconds => observe(milliseconds / 1000),
  }
}
