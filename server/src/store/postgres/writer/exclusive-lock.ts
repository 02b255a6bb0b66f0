// Lets work write under the lock that keeps all others from writing: one piece of work at a time, for a bounded time.
import { Unavailable } from '../../../domain/refusal.ts'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { Program } from '../../statement-program.ts'
import type { Transaction } from '../../transaction.ts'
import type { Connection } from '../connection/connection.ts'
import type { OpenTransaction } from './open-transaction.ts'
import type { Session } from '../connection/session.ts'

const LOCK_MS_MAX = 1000

const LATE = 'The store did not answer in time.'
const LOCK_LOST = 'The lock of the store was lost.'

/** Rejects at `until`, whatever happens to the promise then. */
export const inTime = async <T>(
  { monotonic }: Pick<Session, 'monotonic'>,
  promise: Promise<T>,
  until: MonotonicMilliseconds,
): Promise<T> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Unavailable(LATE)), Math.max(0, until - monotonic()))
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The connection for as long as it is not taken back: work that goes on beyond its time would else write what it has left
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
    takeBack: () => {
      isLent = false
    },
  }
}

/** Begins one after another, and none that is late by then. */
const makeTurns = (session: Pick<Session, 'monotonic'>) => {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>, until: MonotonicMilliseconds): Promise<T> => {
    const working = last.then(() => {
      if (session.monotonic() > until) throw new Unavailable(LATE)
      return work()
    })
    last = working.catch(() => undefined)
    return inTime(session, working, until)
  }
}

export type LockOwner = { readonly run: <T>(perform: (tx: Transaction) => Program<T>) => Promise<T> }

export type WithExclusiveLock = <T>(work: (owner: LockOwner) => Promise<T>, until: MonotonicMilliseconds) => Promise<T>

/** Runs work while nothing else can write. What it has not written when its time is over is not written. */
export const makeExclusiveLock = (session: Session, open: OpenTransaction): WithExclusiveLock => {
  const { sidePool, transactions, runner, monotonic } = session
  const inTurn = makeTurns(session)

  const holdOn = <T>(connection: Connection, work: (owner: LockOwner) => Promise<T>, until: MonotonicMilliseconds) =>
    transactions.write(connection, async () => {
      const { tx } = await open(connection, true)
      const { lent, takeBack } = lend(connection)
      const owner: LockOwner = { run: perform => runner.runProgram(lent, perform(tx)) }
      try {
        return await inTime(session, work(owner), Math.min(until, monotonic() + LOCK_MS_MAX))
      } finally {
        takeBack()
      }
    })

  // In turn: the work of one reads on the same few connections, and those that wait for its lock would keep them.
  return (work, until) =>
    inTurn(async () => {
      // Its work is done once: none may be missing.
      await session.makePartitions()
      return sidePool.use(connection => holdOn(connection, work, until), until)
    }, until)
}
