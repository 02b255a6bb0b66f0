// What everything that talks to the database of a store shares.
import type { Milliseconds, MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { Timing } from '../../../ports/timing.ts'
import type { DatabaseClock } from './clock.ts'
import type { ProgramRunner } from './run-program.ts'
import type { FailOvers } from './fail-overs.ts'
import type { Pool } from './pool.ts'
import type { Transactions } from '../writer/transactions.ts'

export type Session = {
  readonly timing: Pick<Timing, 'deadlineSweepMs' | 'exclusiveLockMs' | 'liveRecountMs' | 'storeMs'>
  /** The connections for frequent requests that never take long. */
  readonly pool: Pool
  /** The connections for everything else. */
  readonly sidePool: Pool
  readonly runner: ProgramRunner
  readonly transactions: Transactions
  readonly clock: DatabaseClock
  /** How far ahead the lease of the clock is written. */
  readonly leaseMs: Milliseconds
  readonly monotonic: () => MonotonicMilliseconds
  /** Makes the partitions that are missing now. */
  readonly makePartitions: () => Promise<void>
  /** Whether a look-up waits for the synchronous standby, as SQL that gives a truth. */
  readonly fence: string
  /** A cache of numbers of the database registers a way to forget them. */
  readonly onFailOver: FailOvers['onFailOver']
}
