// Transactions on a connection: how they begin, and when they count as done.
import { Unavailable } from '../../../domain/refusal.ts'
import { type LabelsOf, type Metrics, NO_METRICS } from '../../../ports/metrics.ts'
import { monotonicMs } from '../../clocks.ts'
import type { DatabaseAccess, DatabaseAddress } from '../connection/address.ts'
import { askAgain } from '../connection/faults.ts'
import { type Answered, type Asked, type Connection, sessionSettingsOf } from '../connection/connection.ts'
import { type FailOvers, TIMELINE } from '../connection/fail-overs.ts'

type Access = {
  readonly address: DatabaseAddress
  readonly timing: Pick<DatabaseAccess['timing'], 'statementMs' | 'idleTransactionMs'>
}

/** What each transaction behind a pooler sets first. */
const settingsOf = (timing: Access['timing']): Asked => {
  const settings = sessionSettingsOf(timing)
  const set = Object.keys(settings).map((name, n) => `set_config('${name}', $${n + 1}, true)`)
  return {
    text: `select ${set.join(', ')}, ${TIMELINE} as timeline`,
    values: Object.values(settings).map(value => value.replaceAll('\\', '')),
  }
}

const BEGIN = {
  write: { text: 'begin isolation level read committed read write' },
  read: { text: 'begin isolation level repeatable read read only' },
} as const satisfies Record<string, Asked>

const FENCES: Readonly<Record<DatabaseAddress['fencedReads'], string>> = {
  auto: `current_setting('synchronous_standby_names') <> ''`,
  on: 'true',
  off: 'false',
}

/** Whether a read waits for the synchronous standby, as SQL that gives a truth. */
export const fenceOf = ({ fencedReads }: DatabaseAddress): string => FENCES[fencedReads]

export type Transactions = {
  /** One statement that is a transaction by itself; it is asked again where the database took it back. */
  readonly once: (connection: Connection, asked: Asked) => Promise<Answered>
  /** Runs `work` in a transaction; what it returns is durable, or nothing was done, or a fault says that it is unknown. */
  readonly write: <T>(connection: Connection, work: () => Promise<T>) => Promise<T>
  /**
   * Runs `work` in one snapshot. With a synchronous standby what it returns is known there: a primary that was deposed, or
   * an act whose wait was canceled, shows in no answer.
   */
  readonly read: <T>(connection: Connection, work: () => Promise<T>) => Promise<T>
  /** Sends all statements of a transaction at once, so that no process can stop once it holds a lock; again like `once`. */
  readonly writeAtOnce: (connection: Connection, statements: readonly Asked[]) => Promise<readonly Answered[]>
}

const NOT_REPLICATED = 'The database did not say that the change is on its standby: whether it stays is unknown.'

/** Ends a transaction. A notice means that the wait for the standby was canceled: our own commits cause none. */
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
  if (connection.isUsable()) await connection.ask({ text: 'rollback' }).catch(connection.destroy)
}

/** Returns all responses, or throws the first fault once every one of them has come. */
const allOf = async (answers: readonly Promise<Answered>[]): Promise<readonly Answered[]> => {
  const settled = await Promise.allSettled(answers)
  const failed = settled.find(one => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return settled.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
}

/** Sends the rest of a transaction and its commit without waiting in between. */
const sendAll = async (connection: Connection, statements: readonly Asked[]): Promise<readonly Answered[]> => {
  const answers = statements.map(connection.ask)
  const done = commit(connection)
  try {
    const [answered] = await Promise.all([allOf(answers), done])
    return answered
  } catch (fault) {
    // Once the commit is answered the transaction is over, whatever it did; without an answer the connection is.
    await Promise.allSettled([...answers, done])
    // The fault of a statement is thrown before that of the commit, which only says that the transaction was aborted.
    await allOf(answers)
    throw fault
  }
}

type Confirmed = LabelsOf<'mintmark_replication_wait_seconds'>['of']

/** Ends a transaction, and measures how long that takes, whatever comes of it. */
const makeConfirm =
  (fence: Asked, metrics: Metrics) =>
  async (connection: Connection, of: Confirmed): Promise<void> => {
    const began = monotonicMs()
    try {
      // The fence is part of the transaction: what waits for the standby is the commit.
      if (of === 'read') await connection.ask(fence)
      await commit(connection)
    } finally {
      metrics.observe('mintmark_replication_wait_seconds', { of }, (monotonicMs() - began) / 1000)
    }
  }

const OVERTAKEN = 'The pooler led to a server on another timeline than before: it was asked for nothing.'

/** `connected` is called with the timeline of each transaction behind a pooler, which gives it another server as it likes. */
export const makeTransactions = (
  { address, timing }: Access,
  connected: FailOvers['connected'] = () => 'same',
  metrics: Metrics = NO_METRICS,
): Transactions => {
  const { pooling } = address
  const fence: Asked = {
    text: `select case when ${fenceOf(address)} then pg_logical_emit_message(true, 'mintmark', '') end as fenced`,
    name: 'fence',
  }
  const confirm = makeConfirm(fence, metrics)
  const set = settingsOf(timing)

  // Behind a pooler: what was cached of one server may be wrong on the next, and nothing that rests on it was sent yet.
  const openPooled = async (connection: Connection, begin: Asked): Promise<void> => {
    const [, settings] = await allOf([begin, set].map(connection.ask))
    const seen = settings?.rows[0] as { readonly timeline: string | null } | undefined // as the statement lists it
    const timeline = seen?.timeline ?? null
    if (timeline !== null && connected(timeline) !== 'same') throw new Unavailable(OVERTAKEN)
  }

  /** Awaited: what follows a transaction that did not begin would be written statement by statement. */
  const open = async (connection: Connection, begin: Asked): Promise<void> => {
    try {
      await (pooling === 'transaction' ? openPooled(connection, begin) : connection.ask(begin))
    } catch (fault) {
      await rollback(connection)
      throw fault
    }
  }

  const run = async <T>(connection: Connection, of: Confirmed, work: () => Promise<T>): Promise<T> => {
    await open(connection, BEGIN[of])
    try {
      const value = await work()
      await confirm(connection, of)
      return value
    } catch (fault) {
      await rollback(connection)
      throw fault
    }
  }

  const writeAll: Transactions['writeAtOnce'] = async (connection, statements) => {
    if (pooling === 'session') return (await sendAll(connection, [BEGIN.write, ...statements])).slice(1)
    await open(connection, BEGIN.write)
    return sendAll(connection, statements)
  }

  const writeAtOnce: Transactions['writeAtOnce'] = (connection, statements) =>
    askAgain(() => writeAll(connection, statements))

  const once: Transactions['once'] = async (connection, asked) => {
    if (pooling === 'session') return askAgain(() => connection.ask(asked))
    const [answered] = await writeAtOnce(connection, [asked])
    if (answered === undefined) throw new Error('A statement has no answer.')
    return answered
  }

  return {
    once,
    writeAtOnce,
    write: (connection, work) => run(connection, 'write', work),
    read: (connection, work) => run(connection, 'read', work),
  }
}
