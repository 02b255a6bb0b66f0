// In the place of compose/timing.ts: the waits of production, but for those that TEST_TIMING has, an object of members of Timing
// as JSON. It is read anew each time: of the commands that one process runs each has its own.
import { timingOf as productionTimingOf } from '../../server/src/compose/timing.ts'
import type { Timing } from '../../server/src/ports/timing.ts'

export const timingOf = (...configured: Parameters<typeof productionTimingOf>): Timing => {
  const given = JSON.parse(process.env['TEST_TIMING'] ?? '{}') as Partial<Timing>
  return Object.freeze({ ...productionTimingOf(...configured), ...given })
}
