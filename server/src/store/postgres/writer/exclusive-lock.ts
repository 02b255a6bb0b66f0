// In this folder: writes to PostgreSQL: jobs that arrive together share a transaction; one process at a time does the maintenance.
// Lets work write under the lock that keeps all others from writing: one piece of work at a time, for a bounded time.
import { Unavailable } from '../../../domain/refusal.ts'
import type { InTime } from '../../../ports/deadline.ts'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { Program } from '../../statement-program.ts'
import type { Transaction } from '../../transaction.ts'
import type { Connection } from '../connection/connection.ts'
import type { OpenTransaction } from './open-transaction.ts'
import type { Session } from '../connection/session.ts'
import { STORE_LATE } from '../../store-options.ts'

const LOCK_LOST = 'The lock of the store was lost.'

/**
 * The connection for as long as it is lent: work that goes on beyond its time would else write what it has left
 * into the transaction that is next on the connection, or into none.
 */
const lend = (connection: Connection) => {
  let isLent = true
  const lent: Connection = {
    ...connection,
    ask: asked => (isLent ? connection.ask(asked) : Promise.reject(new Unavailable(LOCK_LOST))),
  }
  return {
    lent,
    endLoan: () => {
      isLent = false
    },
  }
}

/** Begins one after another, and none whose deadline has passed. */
const makeTurns = ({ monotonic }: Pick<Session, 'monotonic'>, inTime: InTime) => {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>, until: MonotonicMilliseconds): Promise<T> => {
    const working = last.then(() => {
      if (monotonic() > until) throw new Unavailable(STORE_LATE)
      return work()
    })
    last = working.catch(() => undefined)
    return inTime(working, until)
  }
}

export type LockOwner = { readonly run: <T>(perform: (tx: Transaction) => Program<T>) => Promise<T> }

export type WithExclusiveLock = <T>(work: (owner: LockOwner) => Promise<T>, until: MonotonicMilliseconds) => Promise<T>

/** Runs work while nothing else can write. What it has not written when its time is over is not written. */
export const makeExclusiveLock = (session: Session, open: OpenTransaction, inTime: InTime): WithExclusiveLock => {
  const { sidePool, transactions, runner, monotonic, timing } = session
  const inTurn = makeTurns(session, inTime)

  const runLocked = <T>(connection: Connection, work: (owner: LockOwner) => Promise<T>, until: MonotonicMilliseconds) =>
    transactions.write(connection, async () => {
      const { tx } = await open(connection, true)
      const { lent, endLoan } = lend(connection)
      const owner: LockOwner = { run: perform => runner.runProgram(lent, perform(tx)) }
      try {
        return await inTime(work(owner), Math.min(until, monotonic() + timing.exclusiveLockMs))
      } finally {
        endLoan()
      }
    })

  // In turn: the work of one reads on the same few connections, and those that wait for its lock would keep them.
  return (work, until) =>
    inTurn(async () => {
      // Its work is done once: none may be missing.
      await session.makePartitions()
      return sidePool.use(connection => runLocked(connection, work, until), until)
    }, until)
}
