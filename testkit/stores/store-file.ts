// The file of a store, looked at and changed by SQL beside the program, and its writing connection without the thread.
import { type Database, openDatabase, runProgram } from '../../server/src/store/sqlite/connection/database.ts'
import { TIMING } from '../../server/src/ports/timing.ts'
import type { ManualClock } from './manual-clock.ts'
import { clockOf, startClock } from '../../server/src/store/sqlite/connection/clock.ts'
import type { Program } from '../../server/src/store/statement-program.ts'
import {
  begin,
  openTransaction,
  type WritingConnection,
  writingConnection,
} from '../../server/src/store/sqlite/connection/transaction.ts'
import type { Transaction } from '../../server/src/store/transaction.ts'
import { isDatabaseUrl, runStatement } from '../databases/postgres-cluster.ts'
import { askNow, inTransactionNow, type WritingDatabase } from '../databases/postgres-sync.ts'

const BUSY_MS = 4000

/** What a test does with a database beside the program, where that is PostgreSQL; the rest it does not have. */
const databaseAt = (url: string): Database => {
  const prepare = (text: string) => ({
    run: (...values: readonly unknown[]) => ({ changes: askNow(url, text, ...values).changes }),
    get: (...values: readonly unknown[]) => askNow(url, text, ...values).rows[0],
    all: (...values: readonly unknown[]) => askNow(url, text, ...values).rows,
  })
  const exec = (text: string): void => void askNow(url, text)
  const transaction = (work: () => void): void => work()
  return { prepare, exec, transaction } as unknown as Database
}

/** Another connection to the file. It waits for a lock that the store holds for a moment. */
export const openBeside = (file: string): Database => openDatabase(file, { lockMs: BUSY_MS })

/** Makes a fault as SQLite reports a result; see SQLITE_RESULTS. */
export const sqliteFault = (message: string, result: number): Error =>
  Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode: result })

/**
 * Runs `work` on a connection of its own to the file, or to the database of that address.
 */
export const withFile = <T>(file: string, work: (db: Database) => T): T => {
  if (isDatabaseUrl(file)) return work(databaseAt(file))
  const db = openBeside(file)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/**
 * Runs SQL beside a store that this thread serves. On PostgreSQL the thread goes on: the statement may wait for a transaction
 * of the store, which only this thread can end.
 */
export const execBeside = async (file: string, sql: string): Promise<void> => {
  if (isDatabaseUrl(file)) await runStatement(file, sql)
  else withFile(file, db => db.exec(sql))
}

/** A row as the file holds it; the test says what it expects of each column. */
export type FileRow = Readonly<Record<string, unknown>>

export const readRows = (file: string, sql: string, ...values: readonly unknown[]): readonly FileRow[] =>
  withFile(file, db => db.prepare<FileRow>(sql).all(...values))

const onlyRow = ([row, ...others]: readonly FileRow[], sql: string): FileRow => {
  if (row === undefined || others.length > 0) throw new Error(`Not one row: ${sql}`)
  return row
}

/** The only row that the statement returns. */
export const readRow = (file: string, sql: string, ...values: readonly unknown[]): FileRow =>
  onlyRow(readRows(file, sql, ...values), sql)

/** Reads a row beside a store that this thread serves, which goes on meanwhile. */
export const readRowBeside = async (file: string, sql: string): Promise<FileRow> => {
  if (!isDatabaseUrl(file)) return readRow(file, sql)
  return onlyRow(await runStatement(file, sql), sql)
}

/** The number in the only column of the only row. */
export const readNumber = (file: string, sql: string): number => {
  const [value, ...others] = Object.values(readRow(file, sql))
  if (typeof value !== 'number' || others.length > 0) throw new Error(`Not one number: ${sql}`)
  return value
}

export const countRows = (file: string, from: string): number => readNumber(file, `select count(*) from ${from}`)

/** Its clock, or what it says. */
export type StoreFile = { readonly file: string; readonly clock: ManualClock | number }

const clockOfFile = (clock: ManualClock | number): (() => number) =>
  typeof clock === 'number' ? () => clock : clockOf(startClock(0, clock.buffer))

const databases = new WeakMap<WritingConnection, WritingDatabase>()

/** What stands for a writing connection where the store is on PostgreSQL; it knows that one by it. */
const writingDatabase = (url: string, clock: () => number): WritingConnection => {
  const connection = { clock } as unknown as WritingConnection
  databases.set(connection, { url, clock })
  return connection
}

/** Runs `work` on a writing connection as the writing thread has one, at the time of the clock. */
export const withWritingConnection = <T>({ file, clock }: StoreFile, work: (connection: WritingConnection) => T): T =>
  isDatabaseUrl(file)
    ? work(writingDatabase(file, clockOfFile(clock)))
    : withFile(file, db => work(writingConnection(db, clockOfFile(clock), { timing: TIMING })))

/** Runs a script in one transaction of a writing connection. */
export const inTransaction = <T>(connection: WritingConnection, program: (tx: Transaction) => Program<T>): T => {
  const database = databases.get(connection)
  if (database !== undefined) return inTransactionNow(database, program)
  begin(connection, Number.POSITIVE_INFINITY)
  const outcome = runProgram(connection.sql, program(openTransaction(connection)))
  connection.sql('commit').run()
  return outcome
}
