// Takes all tables for a migration beside programs that use them: all at once, or none.
import type { Timing } from '../../../ports/timing.ts'
import { askRow, type Connection } from '../connection/connection.ts'
import { hasGivenWay } from '../connection/faults.ts'

/**
 * How long it waits, in parts of the time after which the server checks for a deadlock. `brief`: a transaction that has
 * one table and waits for another goes on before that. `long`: an autovacuum that holds a table is sent away, as only
 * that check does; on deadlock PostgreSQL aborts one transaction, which is retried.
 */
const PARTS = { brief: 0.5, long: 2 } as const

export type TableWait = keyof typeof PARTS

export type LockTiming = Pick<Timing, 'tableLockMs' | 'longTableLockMs'>

const DEADLOCK_MS = `select cast(setting as integer) as ms from pg_settings where name = 'deadlock_timeout'`

// The row of the service is what each transaction reads before anything else: a new transaction waits there and has no
// other lock, and one that is past it finishes.
const TABLES = `select string_agg(quote_ident(relname), ', ' order by relname <> 'service', relname) as names from pg_class
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`

/** In a transaction, before it changes anything. Where a table is in use the transaction is to be rolled back. */
export const lockTables = async (
  connection: Connection,
  wait: TableWait,
  timing: LockTiming,
): Promise<'locked' | 'in_use'> => {
  const { ms } = await askRow<{ ms: number }>(connection, DEADLOCK_MS)
  const { names } = await askRow<{ names: string }>(connection, TABLES)
  // All other statements wait behind this one: the bound holds also on servers that check for deadlocks less often.
  const longestMs = wait === 'brief' ? timing.tableLockMs : timing.longTableLockMs
  // The bound on the whole statement, however many tables it waits for.
  const waitMs = Math.min(longestMs, Math.max(1, Math.floor(ms * PARTS[wait])))
  await connection.ask({ text: `set local statement_timeout = ${waitMs}` })
  try {
    await connection.ask({ text: `lock table ${names} in access exclusive mode` })
  } catch (fault) {
    if (hasGivenWay(fault)) return 'in_use'
    throw fault
  }
  await connection.ask({ text: 'set local statement_timeout = 0' })
  return 'locked'
}
