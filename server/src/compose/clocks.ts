// The two clocks of a service: the machine's, or those that a test sets.
import type { ManualClock } from '../store/manual-clock.ts'
import { monotonicMs } from '../store/monotonic.ts'

/** Both in ms. */
export type Clocks = Pick<ManualClock, 'wall' | 'monotonic'>

export const MACHINE: Clocks = { wall: Date.now, monotonic: monotonicMs }
