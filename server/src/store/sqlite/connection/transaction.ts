// The writing connection, and one transaction on it. Runs only where nothing else writes in the process.
import { type Database, readServiceRow, type Statements, statementsOf } from './database.ts'
import { Unavailable } from '../../../domain/refusal.ts'
import type { Milliseconds } from '../../../../../api/values/time.ts'
import type { Timing } from '../../../ports/timing.ts'
import { type LiveTokens, makeLiveTokens, type NumberedTable, type Transaction } from '../../transaction.ts'
import { makeSets, type Sets } from '../../ledger/interned-sets.ts'
import { monotonicMs, sleep } from '../../clocks.ts'
import { first, given, type Program } from '../../statement-program.ts'
import { LEASE_MS } from '../../lease.ts'
import { isBusy } from './connection.ts'

/** A transaction, and the statements of its connection for what is done most. */
export type SqliteTransaction = Transaction & { readonly sql: Statements }

type WritingTiming = Pick<Timing, 'liveRecountMs' | 'sqliteRetryMs'>

/** What a command waits by that needs a whole file. */
export type OfflineTiming = WritingTiming & Pick<Timing, 'sqliteLockMs' | 'sqliteOpenMs'>

export type WritingConnection = {
  readonly timing: Pick<Timing, 'sqliteRetryMs'>
  readonly db: Database
  readonly sql: Statements
  readonly sets: Sets
  readonly live: LiveTokens
  readonly clock: () => Milliseconds
  /** How far ahead the lease of the clock is written. */
  readonly leaseMs: number
  /** Throws where the files are no longer the store's. */
  readonly guard: () => void
  /** Called once a transaction is committed. */
  readonly onCommitted: (tx: Pick<Transaction, 'endings'>) => void
}

type WritingOptions = Partial<Pick<WritingConnection, 'leaseMs' | 'guard' | 'onCommitted'>> & {
  readonly timing: WritingTiming
}

const UNLIMITED = (): void => undefined

export const writingConnection = (
  db: Database,
  clock: () => Milliseconds,
  { timing, leaseMs = LEASE_MS, guard = UNLIMITED, onCommitted = UNLIMITED }: WritingOptions,
): WritingConnection => {
  const sql = statementsOf(db)
  return { timing, db, sql, sets: makeSets(), live: makeLiveTokens(timing), clock, leaseMs, guard, onCommitted }
}

/** Clears caches after a rollback: they may contain what was rolled back. */
export const forgetMemory = ({ sets, live }: WritingConnection): void => {
  sets.forget()
  live.forget(null)
}

type Locking = Pick<WritingConnection, 'sql' | 'guard'> & { readonly timing: Pick<Timing, 'sqliteRetryMs'> }

/** Returns whether it had to wait. */
const lock = ({ sql, timing }: Locking, deadline: number): boolean => {
  for (let hasWaited = false; ; hasWaited = true) {
    try {
      sql('begin immediate').run()
      return hasWaited
    } catch (fault) {
      if (!isBusy(fault)) throw fault
      if (monotonicMs() >= deadline) throw new Unavailable('Another process held the lock of the store too long.')
      sleep(timing.sqliteRetryMs)
    }
  }
}

/** Takes the write lock; another process may hold it for a moment. `deadline` is in ms of monotonicMs(). */
export const begin = (connection: Locking, deadline: number): void => {
  connection.guard()
  if (!lock(connection, deadline)) return
  try {
    // The file may have been removed during the wait for the lock: a write to it would be lost.
    connection.guard()
  } catch (fault) {
    connection.sql('rollback').run()
    throw fault
  }
}

/** The number that autoincrement gave last: it stays where rows are removed. */
export function* lastGiven(table: NumberedTable): Program<number> {
  return (yield* first<{ seq: number }>('select seq from sqlite_sequence where name = ?', table))?.seq ?? 0
}

const AT_ANY_TIME = [0, Number.MAX_SAFE_INTEGER] as const

/** A row is found by its id, whenever it ended; the clock may have been set back since it was issued. */
export const endedBetween = () => AT_ANY_TIME

/** Opens the view that jobs work with; call it after begin(). Renews the clock's lease where half of it has gone. */
export const openTransaction = (connection: WritingConnection): SqliteTransaction => {
  const { sql, sets, live, clock, leaseMs } = connection
  const service = readServiceRow(sql)
  const now = Math.max(clock(), service.lastAt)
  if (now > service.clockLease - leaseMs / 2) sql('update service set clock_lease = ?').run(now + leaseMs)
  return {
    sql,
    sets,
    live,
    now,
    endings: [],
    endedBetween,
    // One program serves the file at a time: it holds the lock of the file.
    isEarlierServing: () => given(false),
    lastGiven,
  }
}
