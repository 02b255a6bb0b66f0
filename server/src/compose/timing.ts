// Makes the one table of waits of a process. Imports nothing else: a small command loads no more for it.
import { TIMING, type Timing } from '../ports/timing.ts'

/** What this configuration sets, and the values of production for the rest; a command sets nothing. */
export const timingOf = ({ drainSeconds }: { readonly drainSeconds?: number } = {}): Timing =>
  drainSeconds === undefined ? TIMING : Object.freeze({ ...TIMING, drainMs: 1000 * drainSeconds })
