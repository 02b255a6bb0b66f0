// Takes the store of a file to another key-encryption key.
import { existsSync } from 'node:fs'
import type { Act } from '../../../domain/audit/act.ts'
import { monotonicMs } from '../../clocks.ts'
import { reencrypt, type Reencryption } from '../reencrypt.ts'
import { clockOf, startClock } from '../../sqlite/connection/clock.ts'
import { openForWriting, refuseForeignUser } from '../../sqlite/connection/connection.ts'
import { takeServingLock } from '../../sqlite/connection/serving-lock.ts'
import { readServiceRow, runProgram, statementsOf } from '../../sqlite/connection/database.ts'
import { begin, type OfflineTiming, openTransaction, writingConnection } from '../../sqlite/connection/transaction.ts'

type Options = {
  readonly file: string
  readonly timing: OfflineTiming
  readonly act: Act
  readonly reencryption: Reencryption
}

/** Throws StoreProblem with one line for a person; nothing has changed then. */
export const reencryptStore = ({ file, timing, act, reencryption }: Options): 'done' | 'done_before' => {
  if (existsSync(file)) refuseForeignUser(file)
  // A service that runs has the former key in its memory: it could open no key, and would seal nothing more.
  const unlock = takeServingLock(file)
  const db = openForWriting(file)
  try {
    const { clockLease } = readServiceRow(statementsOf(db))
    const connection = writingConnection(db, clockOf(startClock(clockLease, null)), { timing, leaseMs: 0 })
    begin(connection, monotonicMs() + timing.sqliteLockMs)
    const outcome = runProgram(connection.sql, reencrypt(openTransaction(connection), reencryption, act))
    connection.sql('commit').run()
    return outcome
  } finally {
    // What was not committed is as if it had not been begun.
    db.close()
    unlock()
  }
}
