// Transactions on a connection: how they begin, and when they count as done.
import { Unavailable } from '../../domain/refusal.ts'
import type { DatabaseAddress } from './address.ts'
import { type Answered, type Asked, type Connection, SESSION_SETTINGS } from './connection.ts'

const SETTINGS: Asked = {
  text: `select ${Object.keys(SESSION_SETTINGS)
    .map((name, n) => `set_config('${name}', $${n + 1}, true)`)
    .join(', ')}`,
  values: Object.values(SESSION_SETTINGS).map(value => value.replaceAll('\\', '')),
}

const BEGIN = {
  write: 'begin isolation level read committed read write',
  read: 'begin isolation level repeatable read read only',
} as const

const FENCES: Readonly<Record<DatabaseAddress['fencedReads'], string>> = {
  auto: `current_setting('synchronous_standby_names') <> ''`,
  on: 'true',
  off: 'false',
}

/** Whether a read waits for the synchronous standby, as SQL that gives a truth. */
export const fenceOf = ({ fencedReads }: DatabaseAddress): string => FENCES[fencedReads]

export type Transactions = {
  /** One statement that is a transaction by itself. */
  readonly once: (connection: Connection, asked: Asked) => Promise<Answered>
  /** Runs `work` in a transaction; what it gives is durable, or nothing was done, or a fault says that it is unknown. */
  readonly write: <T>(connection: Connection, work: () => Promise<T>) => Promise<T>
  /**
   * Runs `work` in one snapshot. With a synchronous standby what it gives is known there: a primary that was deposed, or
   * an act whose wait was cancelled, shows in no answer.
   */
  readonly read: <T>(connection: Connection, work: () => Promise<T>) => Promise<T>
  /** Sends all statements of a transaction at once, so that no process can stop in the middle of it. */
  readonly writeAtOnce: (connection: Connection, statements: readonly Asked[]) => Promise<readonly Answered[]>
}

const NOT_REPLICATED = 'The database did not say that the change is on its standby: whether it stays is unknown.'

/** Ends a transaction. What a cancelled wait for the standby gives is a notice; our own commits give none. */
const commit = async (connection: Connection): Promise<void> => {
  const notices = connection.notices()
  const { command } = await connection.ask({ text: 'commit' })
  if (command !== 'COMMIT') throw new Unavailable('The database took the transaction back.')
  if (connection.notices() !== notices) {
    connection.destroy()
    throw new Unavailable(NOT_REPLICATED)
  }
}

const rollback = async (connection: Connection): Promise<void> => {
  if (!connection.isUsable()) return
  try {
    await connection.ask({ text: 'rollback' })
  } catch {
    connection.destroy()
  }
}

/** All answers, or the first fault once every one of them has come. */
const allOf = async (answers: readonly Promise<Answered>[]): Promise<readonly Answered[]> => {
  const settled = await Promise.allSettled(answers)
  const failed = settled.find(one => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return settled.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
}

export const makeTransactions = (address: DatabaseAddress): Transactions => {
  const { pooling } = address
  const fence: Asked = {
    text: `select case when ${fenceOf(address)} then pg_logical_emit_message(true, 'mintmark', '') end as fenced`,
    name: 'fence',
  }

  const opening = (kind: keyof typeof BEGIN): readonly Asked[] =>
    pooling === 'transaction' ? [{ text: BEGIN[kind] }, SETTINGS] : [{ text: BEGIN[kind] }]

  const run = async <T>(connection: Connection, kind: keyof typeof BEGIN, work: () => Promise<T>): Promise<T> => {
    try {
      // Awaited: what follows a transaction that did not begin would be written statement by statement.
      await allOf(opening(kind).map(connection.ask))
      const value = await work()
      await commit(connection)
      return value
    } catch (fault) {
      await rollback(connection)
      throw fault
    }
  }

  const writeAtOnce: Transactions['writeAtOnce'] = async (connection, statements) => {
    const opened = opening('write')
    const answers = [...opened, ...statements].map(connection.ask)
    const done = commit(connection)
    try {
      const [answered] = await Promise.all([allOf(answers), done])
      return answered.slice(opened.length)
    } catch (fault) {
      await Promise.allSettled([...answers, done])
      await rollback(connection)
      // What a statement said goes before what the commit of an aborted transaction said.
      await allOf(answers)
      throw fault
    }
  }

  const once: Transactions['once'] = async (connection, asked) => {
    if (pooling === 'session') return connection.ask(asked)
    const [answered] = await writeAtOnce(connection, [asked])
    if (answered === undefined) throw new Error('A statement has no answer.')
    return answered
  }

  return {
    once,
    writeAtOnce,
    write: (connection, work) => run(connection, 'write', work),
    read: (connection, work) =>
      run(connection, 'read', async () => {
        const value = await work()
        await connection.ask(fence)
        return value
      }),
  }
}
