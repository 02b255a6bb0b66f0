// What the writing thread can be asked to do: the jobs of every store, and what SQLite does in its own way.
import { coverAnswer } from '../../lease.ts'
import { insertTokens } from '../../ledger/insert-tokens.ts'
import type { InsertOutcome } from '../../../ports/ports.ts'
import { given, only, run, type Program } from '../../statement-program.ts'
import { act, type InputIn, JOBS as SHARED, type OutputIn, quiet } from '../../subjects.ts'
import type { Transaction } from '../../transaction.ts'
import { type PackedTokens, unpackTokens } from './packed-tokens.ts'

/** The id of a pause of acts, by which its caller ends it, and no other. */
export type ActsPause = string

export const JOBS = {
  ...SHARED,
  insertTokens: act(function* (tx: Transaction, packed: PackedTokens): Program<readonly InsertOutcome[]> {
    if (packed.limits.size > 0) {
      // Changes when another process writes. It may have ended tokens: the cached live tokens are then discarded.
      const { data_version: version } = yield* only<{ data_version: number }>('pragma data_version')
      tx.live.follow(version)
    }
    return yield* insertTokens(tx, unpackTokens(packed))
  }),
  /** Writes nothing: the queue keeps acts back until `resumeActs` of the same pause, see writer-queue.ts. */
  pauseActs: act((_tx: Transaction, _pause: ActsPause): Program<null> => given(null)),
  resumeActs: quiet((_tx: Transaction, _pause: ActsPause): Program<null> => given(null)),
  /** Every transaction renews the lease of the clock where half of it has gone; this one does nothing else. */
  renewLease: quiet((tx: Transaction, _input: null): Program<null> => coverAnswer(tx)),
  /** A durable write that proves the disk and changes nothing: SQLite writes this page even where the value is the same. */
  verifyWrite: quiet(function* (_tx: Transaction, _input: null): Program<null> {
    yield* run('pragma user_version = 0')
    return null
  }),
} as const

export type JobName = keyof typeof JOBS
export type JobInput<Name extends JobName> = InputIn<typeof JOBS, Name>
export type JobOutput<Name extends JobName> = OutputIn<typeof JOBS, Name>
