// What the writing thread can be asked to do: the jobs of every store, and what SQLite does in its own way.
import { type OutputOf, JOBS as SHARED } from '../../jobs.ts'
import { coverAnswer } from '../../lease.ts'
import { run, type Program } from '../../statement-program.ts'
import type { Transaction } from '../../transaction.ts'
import { insertTokens } from './insert-tokens.ts'
import type { PackedTokens } from './packed-tokens.ts'
import type { SqliteTransaction } from '../connection/transaction.ts'

export const JOBS = {
  ...SHARED,
  insertTokens: function* (tx: SqliteTransaction, packed: PackedTokens): Program<Uint32Array> {
    yield* []
    return insertTokens(tx, packed)
  },
  /** Every transaction renews the lease of the clock where half of it has gone; this one does nothing else. */
  renewLease: (tx: Transaction, _input: null): Program<null> => coverAnswer(tx),
  /** A durable write that proves the disk and changes nothing: SQLite writes this page even where the value is the same. */
  verifyWrite: function* (_tx: Transaction, _input: null): Program<null> {
    yield* run('pragma user_version = 0')
    return null
  },
} as const

export type JobName = keyof typeof JOBS
export type JobInput<Name extends JobName> = Parameters<(typeof JOBS)[Name]>[1]
export type JobOutput<Name extends JobName> = OutputOf<ReturnType<(typeof JOBS)[Name]>>
