// A clock that a test sets in the place of the machine's two.
import type { Milliseconds } from '../../api/values/time.ts'

/** The start of monotonic time, in ms. */
const ORIGIN = 1_000_000n

/** `advance` moves both times, `stepWall` only the wall clock. Other threads read it by its buffer. */
export const makeManualClock = (start: Milliseconds) => {
  const buffer = new SharedArrayBuffer(16)
  const cells = new BigInt64Array(buffer)
  Atomics.store(cells, 0, BigInt(start))
  Atomics.store(cells, 1, ORIGIN)
  return {
    buffer,
    advance: (ms: number) => {
      // In this order a thread that reads meanwhile, the wall clock first, sees no step ahead.
      Atomics.add(cells, 1, BigInt(ms))
      Atomics.add(cells, 0, BigInt(ms))
    },
    stepWall: (ms: number) => void Atomics.add(cells, 0, BigInt(ms)),
    wall: () => Number(Atomics.load(cells, 0)),
    monotonic: () => Number(Atomics.load(cells, 1)),
  }
}

export type ManualClock = ReturnType<typeof makeManualClock>
