// The machine's two clocks, and one that a test sets in their place.
import { setTimeout as delay } from 'node:timers/promises'
import type { Milliseconds } from '../../../api/values/time.ts'
import type { Wait } from './lease.ts'

/** Returns the monotonic time in ms, the same in all threads. Deadlines are in it. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6

const sleepCell = new Int32Array(new SharedArrayBuffer(4))

/** Blocks this thread, which has nothing else to do, for so many milliseconds. */
export const sleep = (ms: number): void => void Atomics.wait(sleepCell, 0, 0, ms)

/** The wall and the monotonic clock, both in ms. */
export type Clocks = { readonly wall: () => Milliseconds; readonly monotonic: () => Milliseconds }

export const MACHINE: Clocks = { wall: Date.now, monotonic: monotonicMs }

/** The start of monotonic time in a test, in ms. */
const ORIGIN = 1_000_000n

/** `advance` moves both times, `stepWall` only the wall clock. Other threads read it by its buffer: [0] wall, [1] monotonic. */
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

/** Waits by Node's timer; a clock that a test sets is moved on instead. */
export const waitOf = (clock: ManualClock | undefined): Wait =>
  clock === undefined ? delay : async ms => clock.advance(ms)
