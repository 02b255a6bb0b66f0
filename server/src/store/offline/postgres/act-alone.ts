// In this folder: work on a whole PostgreSQL database: import of a store, target of a move, commands while no service runs.
// What a command does to a whole store while no service uses it: it sets the clock back, takes the store to another
// key-encryption key, checks the audit log.
import { setTimeout as delay } from 'node:timers/promises'
import type { Act } from '../../../domain/audit/act.ts'
import type { AuditVerdict } from '../../../domain/audit/seal.ts'
import type { Milliseconds } from '../../../../../api/values/time.ts'
import type { Timing } from '../../../ports/timing.ts'
import { type AuditCheck, beginCheck } from '../verify-audit.ts'
import { makeSets } from '../../ledger/interned-sets.ts'
import { endAndReset } from '../reset-clock.ts'
import { type Restoration, type Restored, restoreStore } from '../restore-store.ts'
import type { Program } from '../../statement-program.ts'
import { type Reencryption, reencrypt } from '../reencrypt.ts'
import { StoreProblem } from '../../store-problem.ts'
import type { Transaction } from '../../transaction.ts'
import type { DatabaseTime } from '../../postgres/connection/clock.ts'
import type { DatabaseAccess } from '../../postgres/connection/address.ts'
import { askRow, type Connection, MIGRATING, SERVING_EVER } from '../../postgres/connection/connection.ts'
import { runner } from '../../postgres/connection/run-program.ts'
import { lastGiven, transactionOpener } from '../../postgres/writer/open-transaction.ts'
import { makeTransactions } from '../../postgres/writer/transactions.ts'
import { withStore } from '../../postgres/connection/with-connection.ts'

const OTHERS = `select count(*) as count from pg_stat_activity
  where datname = current_database() and application_name in (${SERVING_EVER}, '${MIGRATING}')
    and pid <> pg_backend_pid()`

const isAlone = async (connection: Connection): Promise<boolean> => {
  const { count } = await askRow<{ count: number }>(connection, OTHERS)
  return count === 0
}

/** A session may stand there for a moment after its program has ended: the database hears of that on its own time. */
const POLLS_MAX = 100

type AloneTiming = Pick<Timing, 'liveRecountMs' | 'sessionsEndedPollMs'>

const refuseOthers = async (connection: Connection, { sessionsEndedPollMs }: AloneTiming): Promise<void> => {
  for (let polls = 1; !(await isAlone(connection)); polls += 1) {
    if (polls === POLLS_MAX) {
      throw new StoreProblem('A service or a command of Mintmark uses the database: stop it, and run this again.')
    }
    await delay(sessionsEndedPollMs)
  }
}

type Perform<T> = (tx: Transaction, reported: Milliseconds) => Program<T>

/** Inside a transaction: at the time of the store, however far ahead of the database's clock that is. */
export const performAlone = async <T>(
  connection: Connection,
  timing: Pick<Timing, 'liveRecountMs'>,
  perform: Perform<T>,
): Promise<T> => {
  let reported = 0
  // Asked under the lock, as the time of every act: another may have had it until just now.
  const observe = (seen: DatabaseTime): Milliseconds => {
    reported = seen.reported
    return Math.max(seen.reported, seen.clockLease, seen.lastAt)
  }
  const open = transactionOpener({ runner, clock: { observe }, leaseMs: 0, timing }, makeSets())
  const { tx } = await open(connection, true)
  return runner.runProgram(connection, perform(tx, reported))
}

export type AloneAccess = DatabaseAccess & { readonly timing: AloneTiming }

const inTransaction = <T>(access: AloneAccess, perform: Perform<T>): Promise<T> =>
  withStore(access, async connection => {
    const { timing } = access
    await refuseOthers(connection, timing)
    return makeTransactions(access).write(connection, () => performAlone(connection, timing, perform))
  })

/** The tokens end at the time of the database, by which the clock counts from now on. */
export const resetDatabaseClock = (access: AloneAccess, act: Act): Promise<void> =>
  inTransaction(access, (tx, reported) => endAndReset(tx, act, reported))

/** Throws StoreProblem with one line for a person; nothing has changed then. */
export const reencryptDatabase = (
  access: AloneAccess,
  reencryption: Reencryption,
  act: Act,
): Promise<'done' | 'done_before'> => inTransaction(access, tx => reencrypt(tx, reencryption, act))

/** Takes the database for one that was put back as it had been earlier. */
export const restoreDatabase = (access: AloneAccess, restoration: Restoration): Promise<Restored> =>
  inTransaction(access, tx => restoreStore(tx, restoration))

/** Checks the audit log, a snapshot a seal, beside who writes to it. */
export const verifyDatabaseAudit = (access: DatabaseAccess, check: AuditCheck): Promise<AuditVerdict> =>
  withStore(access, async connection => {
    const { read } = makeTransactions(access)
    const { step } = beginCheck(check, lastGiven)
    for (;;) {
      const verdict = await read(connection, () => runner.runProgram(connection, step()))
      if (verdict !== 'more') return verdict
    }
  })
