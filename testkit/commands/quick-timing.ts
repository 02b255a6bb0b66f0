// In the place of compose/timing.ts: the waits of production, but for those that TEST_TIMING has.
import { timingOf as productionTimingOf } from '../../server/src/compose/timing.ts'
import type { Timing } from '../../server/src/ports/timing.ts'

const given = JSON.parse(process.env['TEST_TIMING'] ?? '{}') as Partial<Timing>

export const timingOf = (...configured: Parameters<typeof productionTimingOf>): Timing =>
  Object.freeze({ ...productionTimingOf(...configured), ...given })
