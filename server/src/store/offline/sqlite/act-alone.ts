// In this folder: work on a whole SQLite file: backup, restore, source of a move, commands while no service runs.
// What a command does to the file of a store while no service uses it: it sets the clock back, takes the store to another
// key-encryption key, ends what a restore ends.
import type { Act } from '../../../domain/audit/act.ts'
import type { Milliseconds } from '../../../../../api/values/time.ts'
import { monotonicMs } from '../../clocks.ts'
import { reencrypt, type Reencryption } from '../reencrypt.ts'
import { endAndReset } from '../reset-clock.ts'
import { type Restoration, type Restored, restoreStore } from '../restore-store.ts'
import type { Program } from '../../statement-program.ts'
import type { Transaction } from '../../transaction.ts'
import { clockOf, startClock } from '../../sqlite/connection/clock.ts'
import { openForWriting, refuseForeignUser } from '../../sqlite/connection/connection.ts'
import { type Database, readServiceRow, runProgram, statementsOf } from '../../sqlite/connection/database.ts'
import { takeServingLock } from '../../sqlite/connection/serving-lock.ts'
import { begin, type OfflineTiming, openTransaction, writingConnection } from '../../sqlite/connection/transaction.ts'
import { dropLog } from './change-log.ts'
import { closing } from './closing.ts'

export type StoreFile = {
  /** The path of the store. */
  readonly file: string
  readonly timing: OfflineTiming
}

type Work<T> = (tx: Transaction, db: Database) => Program<T>

/** The clock of a store, by how far its lease reaches when it is asked. */
type ClockFrom = (lease: () => Milliseconds) => () => Milliseconds

/** In one transaction: what was not committed is as if it had not been begun. */
const perform = <T>({ file, timing }: StoreFile, clockFrom: ClockFrom, work: Work<T>): T => {
  using db = closing(openForWriting(file, timing))
  const sql = statementsOf(db)
  const clock = clockFrom(() => readServiceRow(sql).clockLease)
  const connection = writingConnection(db, clock, { timing, leaseMs: 0 })
  begin(connection, monotonicMs() + timing.sqliteLockMs)
  const done = runProgram(connection.sql, work(openTransaction(connection), db))
  connection.sql('commit').run()
  return done
}

/** A service that runs has the key and the clock in its memory: it could open nothing any more, or would write the clock back. */
const performAlone = <T>(store: StoreFile, clockFrom: ClockFrom, work: Work<T>): T => {
  refuseForeignUser(store.file)
  using unlocking = new DisposableStack()
  unlocking.defer(takeServingLock(store.file))
  return perform(store, clockFrom, work)
}

/** The clock of the machine, but not before the lease. */
const fromLease: ClockFrom = lease => clockOf(startClock(lease(), null))

/**
 * The tokens end at `wall`, by the clock that counts from now on; then the lease starts there. What ended before counts by the
 * lease in the transaction: another command may have raised it until just now.
 */
export const resetClock = (store: StoreFile & { readonly act: Act; readonly wall: Milliseconds }): void =>
  performAlone(
    store,
    lease => lease,
    tx => endAndReset(tx, store.act, store.wall),
  )

/** Throws StoreProblem with one line for a person; nothing has changed then. */
export const reencryptStore = (
  store: StoreFile & { readonly act: Act; readonly reencryption: Reencryption },
): 'done' | 'done_before' => performAlone(store, fromLease, tx => reencrypt(tx, store.reencryption, store.act))

export type ToRestore = StoreFile & { readonly restoration: Restoration }

/** What is restored takes its own time from the clock; a lease that is far ahead of it stays, for `serve` to report. */
const restoring = ({ restoration }: ToRestore): Work<Restored> =>
  function* (tx, db) {
    // The log of a move that was begun does not know what became of this store since.
    dropLog(db)
    return yield* restoreStore(tx, restoration)
  }

/** Restores a file that is no store of anybody's yet. */
export const restoreFile = (store: ToRestore): Restored => perform(store, fromLease, restoring(store))

/** Restores a store that was put back in its place by other means. */
export const restoreInPlace = (store: ToRestore): Restored => performAlone(store, fromLease, restoring(store))
