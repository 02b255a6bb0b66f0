// Makes a database the store that another one was: all rows first, and last the one without which it is none.
import { type CopiedRows, copyTable, type OnRows, verifyTable, type TableDigest } from '../copy-tables.ts'
import { type Row, type RowSource, SERVICE, TABLES, type Table } from '../../tables.ts'
import { excludeByRows } from '../../schema-version.ts'
import { StoreProblem } from '../../store-problem.ts'
import type { DatabaseAccess } from '../../postgres/connection/address.ts'
import { askRow, askFirst, type Connection } from '../../postgres/connection/connection.ts'
import { runner } from '../../postgres/connection/run-program.ts'
import type { Timing } from '../../../ports/timing.ts'
import type { Program } from '../../statement-program.ts'
import type { Transaction } from '../../transaction.ts'
import { performAlone } from './act-alone.ts'
import { makeTransactions } from '../../postgres/writer/transactions.ts'
import { applyMigrations, type MigrationTiming } from '../../postgres/schema/migrations.ts'
import { makePartitions } from '../../postgres/partitions/partitions.ts'
import { connectPatiently } from '../../postgres/connection/primary.ts'
import { rowsIn } from './table-rows.ts'
import { withConnection } from '../../postgres/connection/with-connection.ts'

/** A database that is made a store. */
export type CopyAccess = DatabaseAccess & { readonly timing: MigrationTiming & Pick<Timing, 'liveRecountMs'> }

export type ReceiveOptions<T> = CopyAccess &
  Pick<CopiedRows, 'lastGiven'> & {
    readonly source: RowSource
    /** A fingerprint of the source: an interrupted copy continues only from the same source. */
    readonly mark: string
    readonly now: number
    readonly onRows: OnRows
    /** The last thing that is done, in the transaction that makes the database a store. */
    readonly finish: (tx: Transaction) => Program<T>
  }

type Copied = Omit<ReceiveOptions<unknown>, 'finish'>

export type Received<T> = { readonly tables: readonly TableDigest[]; readonly done: T }

const IS_STORE = 'select 1 as found from service where exists (select 1 from signing_key)'

/** Begins a copy. Without its row of `service` nothing serves the database. */
export const beginCopy = async (
  connection: Connection,
  { address, timing, mark, now }: Pick<Copied, 'address' | 'timing' | 'mark' | 'now'>,
): Promise<void> => {
  await applyMigrations(connection, { madeBy: 'migrate', now, timing })
  await makePartitions(connection, now)
  if ((await runner.ask(connection, IS_STORE)).rows.length > 0) {
    throw new StoreProblem(`The database ${address.database} holds a store already: name an empty one.`)
  }
  await connection.ask({ text: 'create table if not exists copying (mark text not null)' })
  await runner.ask(connection, 'insert into copying select ? where not exists (select 1 from copying)', mark)
  const copying = await askRow<{ mark: string }>(connection, 'select mark from copying')
  if (copying.mark !== mark) {
    throw new StoreProblem(
      `The database ${address.database} holds a part of another store, or of this one before it went on: name an empty one.`,
    )
  }
  await connection.ask({ text: 'delete from service' })
}

/** The key of the last row that is there. Rows whose key is text are few, and copied from the first one on. */
export const lastKey = async (connection: Connection, { name, key, texts }: Table): Promise<Row | null> => {
  if (texts.length > 0) return null
  const order = key.map(column => `${column} desc`).join(', ')
  const text = `select ${key.join(', ')} from ${name} order by ${order} limit 1`
  const last = await askFirst<Record<string, Row[number]>>(connection, text)
  return last === undefined ? null : key.map(column => last[column] ?? null)
}

const WITHOUT_GAPS = ['audit', 'seal']

/** Once all rows are there: no number is given twice, also where the row that had it is gone, and no program opens it that a row excludes. */
export const settleRows = async (connection: Connection, lastGiven: Copied['lastGiven']): Promise<void> => {
  for (const [table, n] of lastGiven) {
    if (WITHOUT_GAPS.includes(table)) await runner.ask(connection, 'update given set n = ? where what = ?', n, table)
    else if (n > 0) await runner.ask(connection, `select setval(pg_get_serial_sequence('${table}', 'n'), ?)`, n)
  }
  await runner.runProgram(connection, excludeByRows())
}

/** One transaction makes it a store, and does what is to be done to it before anybody serves it. */
const endCopy = <T>(connection: Connection, options: ReceiveOptions<T>): Promise<T> =>
  makeTransactions(options).write(connection, async () => {
    const { source, lastGiven, timing, finish } = options
    await settleRows(connection, lastGiven)
    await copyTable(source, rowsIn(connection), { table: SERVICE, last: null })
    await connection.ask({ text: 'drop table copying' })
    return performAlone(connection, timing, finish)
  })

/** What is there stays for the next run where this one is broken off. Throws StoreProblem with one line for a person. */
export const importStore = <T>(options: ReceiveOptions<T>): Promise<Received<T>> => {
  const { source, onRows } = options
  return withConnection(connectPatiently(options), async connection => {
    await beginCopy(connection, options)
    const target = rowsIn(connection)
    for (const table of TABLES) {
      await copyTable(source, target, { table, last: await lastKey(connection, table), onRows })
    }
    const verified: TableDigest[] = []
    for (const table of TABLES) verified.push(await verifyTable(source, target, table))
    // The statistics of the planner are from before the copy.
    await connection.ask({ text: 'analyze' })
    return { tables: verified, done: await endCopy(connection, options) }
  })
}
