// Gives long work the time that a thread has to spare: nearly all where nobody asks for anything, little where everybody does.
import { performance } from 'node:perf_hooks'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import type { Timing } from '../../ports/timing.ts'

/** Where the thread has no time to spare, a step is followed by a rest of so many times its own length. */
const REST_MOST = 6

/** Runs a step of long work, one at a time in a thread, and does not begin the next one before the others had their time. */
export type IdleTime = <T>(step: () => Promise<T>) => Promise<T>

type Rests = Pick<Timing, 'idleSampleMs' | 'idleRestMs'>

const rest = async (stepMs: number, { idleSampleMs, idleRestMs }: Rests): Promise<void> => {
  const before = performance.eventLoopUtilization()
  await delay(idleSampleMs)
  const { utilization } = performance.eventLoopUtilization(before)
  const restMs = Math.min(REST_MOST * utilization * stepMs - idleSampleMs, idleRestMs)
  if (restMs > 0) await delay(restMs)
}

export const makeIdleTime = (timing: Rests): IdleTime => {
  let rested: Promise<void> = Promise.resolve()
  return step => {
    const began = rested.then(() => performance.now())
    const stepping = began.then(() => step())
    const restNow = async (): Promise<void> => {
      // The process sends what the step has written in the turn in which the step ends.
      await turn()
      await rest(performance.now() - (await began), timing)
    }
    rested = stepping.then(restNow, restNow)
    return stepping
  }
}
