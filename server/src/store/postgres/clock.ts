// The time of the database, as a process follows it: it never stands still and never steps back.
import { Unavailable } from '../../domain/refusal.ts'
import type { Milliseconds } from '../../domain/time.ts'

/** The lease is written ahead by so much, and renewed at half of it. */
export const LEASE_MS = 1000
/** A lease at most so far ahead of the database's clock is waited out at start. */
export const LEASE_WAIT_MS = 2000
/** How far the database's clock may be off from what this process has followed. */
export const CLOCK_OFF_MS_MAX = 60_000

// Clocks of two machines do not run alike: what a process counts on by itself runs so much slower than its own, and what
// it allows the database to gain so much faster.
const DRIFT = 0.001

export type DatabaseClock = {
  /** The time of an answer for which the database gave `told`. Throws Unavailable where its clock jumped. */
  readonly observe: (told: Milliseconds) => Milliseconds
  /** The time as far as it is known without asking. */
  readonly now: () => Milliseconds
}

/** Starts at `start`; `monotonic` counts ms of this process, from any origin. */
export const makeDatabaseClock = (start: Milliseconds, monotonic: () => Milliseconds): DatabaseClock => {
  const began = { at: start, monotonic: monotonic() }
  let last = began

  const now = (): Milliseconds => Math.floor(last.at + (monotonic() - last.monotonic) * (1 - DRIFT))

  return {
    now,
    observe: told => {
      const here = monotonic()
      const own = now()
      const most = began.at + (here - began.monotonic) * (1 + DRIFT) + CLOCK_OFF_MS_MAX
      if (told > most) {
        throw new Unavailable('The clock of the database jumped ahead by more than 60 s. Correct it, or restart.')
      }
      if (told < own - CLOCK_OFF_MS_MAX) {
        throw new Unavailable('The clock of the database went back by more than 60 s. Correct it.')
      }
      if (told <= own) return own
      last = { at: told, monotonic: here }
      return told
    },
  }
}
