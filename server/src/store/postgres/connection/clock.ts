// The time of the database, as a process follows it: it never stands still and never steps back.
import { Unavailable } from '../../../domain/refusal.ts'
import type { Milliseconds } from '../../../../../api/values/time.ts'
import { CLOCK_OFF_MS_MAX, CLOCK_STEPS_MS, LEASE_MS } from '../../lease.ts'

// Clocks of two machines differ in speed. Between two answers of the database a process counts this much slower than its own clock
// runs, and it believes the database up to this much faster.
const DRIFT = 0.001

/** What the database says of the time, in one snapshot: its clock, the time of the last act, the lease. */
export type DatabaseTime = {
  readonly reported: Milliseconds
  readonly lastAt: Milliseconds
  readonly clockLease: Milliseconds
}

const JUMPED =
  'The clock of the database jumped ahead by more than 60 s. Correct it, and the service goes on by itself; if it is right, restart every process that serves.'

export type DatabaseClock = {
  /** The time of an answer: not before any that another process acted at. Throws Unavailable where the clock jumped. */
  readonly observe: (seen: DatabaseTime) => Milliseconds
  /** The time as far as it is known without asking. */
  readonly now: () => Milliseconds
}

/** Starts at `start`; `monotonic` counts ms of this process, from any origin. */
export const makeDatabaseClock = (start: Milliseconds, monotonic: () => Milliseconds): DatabaseClock => {
  let last = { at: start, monotonic: monotonic() }
  /** The point from which steps ahead are added up. */
  let reference = last

  const now = (): Milliseconds => Math.floor(last.at + (monotonic() - last.monotonic) * (1 - DRIFT))

  return {
    now,
    observe: ({ reported, lastAt, clockLease }) => {
      const here = monotonic()
      const own = now()
      // Not compared with the process's own count, which runs slower: after a long pause the difference would look like a jump.
      if (here - reference.monotonic >= CLOCK_STEPS_MS) reference = last
      const most = reference.at + (here - reference.monotonic) * (1 + DRIFT) + CLOCK_OFF_MS_MAX
      // Nothing is changed by it: once the clock is corrected it is followed again.
      if (reported > most) throw new Unavailable(JUMPED)
      // The process that wrote the lease did so at a time of its own, so far before it.
      const seen = Math.max(reported, lastAt, clockLease - LEASE_MS)
      if (seen <= own) return own
      last = { at: seen, monotonic: here }
      return seen
    },
  }
}
