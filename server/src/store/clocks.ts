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

/** Both times move by `advance` alone. Other threads read them in the buffer: [0] wall, [1] monotonic, of 64 bits each. */
export type ManualClock = Clocks & { readonly buffer: SharedArrayBuffer; readonly advance: (ms: number) => void }

/** Waits by Node's timer; a clock that a test sets is moved on instead. */
export const waitOf = (clock: ManualClock | undefined): Wait =>
  clock === undefined ? delay : async ms => clock.advance(ms)
