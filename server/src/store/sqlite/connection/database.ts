// SQLite as Node.js brings it, with the checks that its module lacks: it binds null for a value that is not given, a boolean as a number,
// and drops whatever follows the first statement of a text.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite' // oxlint-disable-line no-restricted-imports -- the one place
import type { Answer, Program, Statement } from '../../statement-program.ts'
import { StoreProblem } from '../../store-problem.ts'
import { SERVICE_ROW, type ServiceRow } from '../../snapshot.ts'

const MEMORY = ':memory:'

/** A statement that is used again and again; blobs in its rows are Uint8Arrays. */
export type Prepared<Row> = {
  readonly get: (...values: readonly unknown[]) => Row | undefined
  readonly all: (...values: readonly unknown[]) => Row[]
  readonly run: (...values: readonly unknown[]) => { readonly changes: number }
}

type Progress = { readonly totalPages: number; readonly remainingPages: number }

type Backup = { readonly pagesAStep: number; readonly onProgress: (progress: Progress) => void }

export type Database = {
  /** Prepares one statement; throws if there are several, and at each use unless every parameter has a value. */
  readonly prepare: <Row = never>(text: string) => Prepared<Row>
  /** Prepares a statement whose rows are arrays, in the order of the columns. */
  readonly prepareArrays: <Row extends readonly unknown[]>(text: string) => Prepared<Row>
  /** Runs any number of statements without parameters. */
  readonly exec: (text: string) => void
  /** Sets or asks for a pragma; returns the first value that it answers with, if any. */
  readonly pragma: (text: string) => unknown
  /** Does the work in a transaction: all of it, or none where it throws. */
  readonly transaction: <T>(work: () => T, begin?: 'begin' | 'begin immediate') => T
  readonly inTransaction: () => boolean
  /** Copies the whole into a file, in steps, while other connections go on. */
  readonly backup: (file: string, how: Backup) => Promise<void>
  /** Closes the database; a second call does nothing. */
  readonly close: () => void
}

/** What is no parameter: strings, names in quotes, comments. */
const NO_PARAMETERS = /'[^']*(?:'|$)|"[^"]*(?:"|$)|--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$)/g

/** How many values a statement takes: each `?` is one. Throws where another statement follows. */
const countParameters = (text: string): number => {
  const bare = text.replaceAll(NO_PARAMETERS, ' ')
  if (/;\s*\S/.test(bare)) throw new TypeError(`One statement is prepared at a time: ${text}`)
  return bare.split('?').length - 1
}

/** Whether SQLite has a type for it: the module takes an object that comes first for named values, and SQLite NaN for null. */
const isBindable = (value: unknown): value is SQLInputValue =>
  typeof value === 'string' ||
  (typeof value === 'number' && !Number.isNaN(value)) ||
  value === null ||
  value instanceof Uint8Array ||
  typeof value === 'bigint'

/** The values, where there is one that SQLite takes for each parameter. */
const bindable = (values: readonly unknown[], count: number): SQLInputValue[] => {
  if (values.length !== count) throw new RangeError(`A statement with ${count} parameters got ${values.length} values.`)
  if (!values.every(isBindable)) throw new TypeError('A statement got a value for which SQLite has no type.')
  return values as SQLInputValue[] // just checked; the module checks the rest
}

/** A row of these columns. The objects that the module makes are slow to read, and have no prototype. */
const rowOf = (names: readonly string[], values: readonly unknown[]): Readonly<Record<string, unknown>> => {
  const row: Record<string, unknown> = {}
  for (let n = 0; n < names.length; n += 1) row[names[n] ?? ''] = values[n]
  return row
}

type ArrayStatement = { readonly statement: StatementSync; readonly count: number }

const prepareArrays = (db: DatabaseSync, text: string): ArrayStatement => {
  const statement = db.prepare(text)
  statement.setReturnArrays(true)
  return { statement, count: countParameters(text) }
}

/** `read` makes a row of the array that the module returns. */
const prepared = <Row>(
  { statement, count }: ArrayStatement,
  read: (values: readonly unknown[]) => Row,
): Prepared<Row> => {
  const get = (values: readonly unknown[]) => statement.get(...bindable(values, count)) as unknown // an array, as was set
  const all = (values: readonly unknown[]) => statement.all(...bindable(values, count)) as unknown // arrays
  return {
    get: (...values) => {
      const row = get(values)
      return row === undefined ? undefined : read(row as readonly unknown[])
    },
    all: (...values) => (all(values) as readonly (readonly unknown[])[]).map(read),
    run: (...values) => ({ changes: Number(statement.run(...bindable(values, count)).changes) }),
  }
}

const transact = <T>(db: DatabaseSync, work: () => T, begin: string): T => {
  db.exec(begin)
  try {
    const done = work()
    db.exec('commit')
    return done
  } catch (fault) {
    if (db.isTransaction) db.exec('rollback')
    throw fault
  }
}

const wrap = (db: DatabaseSync): Database => ({
  prepare: <Row>(text: string) => {
    const found = prepareArrays(db, text)
    const names = found.statement.columns().map(({ name }) => name)
    return prepared(found, values => rowOf(names, values) as Row) // the caller names the shape
  },
  prepareArrays: <Row>(text: string) => prepared(prepareArrays(db, text), values => values as Row), // the same
  exec: text => db.exec(text),
  pragma: text => Object.values(db.prepare(`pragma ${text}`).get() ?? {})[0],
  transaction: (work, begin = 'begin') => transact(db, work, begin),
  inTransaction: () => db.isTransaction,
  backup: async (file, { pagesAStep, onProgress }) => {
    await backup(db, file, { rate: pagesAStep, progress: onProgress })
  },
  close: () => {
    if (db.isOpen) db.close()
  },
})

type Opening = {
  readonly readOnly?: boolean
  /** Nothing writes the file, which is read without a lock and without a file beside it; only with `readOnly`. */
  readonly isStill?: boolean
  /** How long SQLite itself waits for a lock, blocking the thread; 0 unless it is given. */
  readonly lockMs?: number
}

/** A path that is not absolute could be a URI to SQLite, as only that of a still file is meant to be. */
const locationOf = (file: string, isStill: boolean): string | URL => {
  if (file === MEMORY) return file
  if (!isStill) return resolve(file)
  const location = pathToFileURL(file)
  location.search = '?mode=ro&immutable=1'
  return location
}

/** The oldest whose write-ahead log loses nothing where two checkpoints meet (sqlite.org/wal.html#walresetbug). */
const OLDEST_SQLITE = [3, 51, 3]

/** Node.js comes with SQLite; a distribution may link another one. */
export const refuseOldSqlite = (version = process.versions['sqlite'] ?? '0'): void => {
  const numbers = version.split('.').map(Number)
  const at = OLDEST_SQLITE.findIndex((oldest, n) => numbers[n] !== oldest)
  if (at === -1 || (numbers[at] ?? 0) > (OLDEST_SQLITE[at] ?? 0)) return
  throw new StoreProblem(
    `This Node.js has SQLite ${version}, which may lose what was committed: take one with ${OLDEST_SQLITE.join('.')} or newer.`,
  )
}

/** Opens a file, or makes it where it may be written. Throws as SQLite does: see `isStoreFault`. */
export const openDatabase = (file: string, opening: Opening = {}): Database => {
  refuseOldSqlite()
  const { readOnly = false, isStill = false, lockMs = 0 } = opening
  return wrap(new DatabaseSync(locationOf(file, isStill), { readOnly, timeout: lockMs }))
}

/** What SQLite finds wrong in the pages of the file; undefined where it finds nothing. */
export const findDamage = (db: Database): string | undefined => {
  const found = db.pragma('quick_check(1)')
  return found === 'ok' ? undefined : String(found)
}

/** Results that SQLite reports of its file, its disk or the machine, by their numbers (sqlite.org/rescode.html). */
export const SQLITE_RESULTS = {
  busy: 5,
  locked: 6,
  nomem: 7,
  readonly: 8,
  ioerr: 10,
  corrupt: 11,
  full: 13,
  cantopen: 14,
  protocol: 15,
  notadb: 26,
} as const

/** The result that an error of SQLite is of, without what extends it; undefined for any other error. */
export const resultOf = (fault: unknown): number | undefined =>
  fault instanceof Error && 'errcode' in fault && typeof fault.errcode === 'number' ? fault.errcode & 0xff : undefined

// Prepared statements of one connection, each prepared once, at its first use; and statement programs that run on them.

/** Returns the statement of a text. The caller names the row's shape beside the columns it lists. */
export type Statements = <Row = never>(sql: string) => Prepared<Row>

/** A statement as SQLite reads it: its hints (statement-program.ts) become what they mean here. */
export const sqliteText = (text: string): string =>
  text
    .replaceAll(/\/\* index (\w+) \*\//g, 'indexed by $1')
    .replaceAll(/\/\* bytes \*\/ (\w+) as/g, 'cast($1 as blob) as')

export const statementsOf = (db: Database): Statements => {
  const known = new Map<string, Prepared<unknown>>()
  return <Row>(sql: string) => {
    let statement = known.get(sql)
    if (statement === undefined) {
      statement = db.prepare<unknown>(sqliteText(sql))
      known.set(sql, statement)
    }
    return statement as Prepared<Row>
  }
}

const NO_ROWS: readonly unknown[] = []

const answer = (sql: Statements, { text, values, wants }: Statement): Answer => {
  const statement = sql<unknown>(text)
  switch (wants) {
    case 'rows':
      return { rows: statement.all(...values), changes: 0 }
    case 'row': {
      const row = statement.get(...values)
      return { rows: row === undefined ? NO_ROWS : [row], changes: 0 }
    }
    case 'changes':
      return { rows: NO_ROWS, changes: statement.run(...values).changes }
  }
}

/** Runs the program to its end, in one go: nothing else runs on the thread between two of its statements. */
export const runProgram = <T>(sql: Statements, program: Program<T>): T => {
  let step = program.next()
  while (step.done !== true) step = program.next(answer(sql, step.value))
  return step.value
}

/** Reads the row without a statement program: every group of reads and every transaction begins with it. */
export const readServiceRow = (sql: Statements): ServiceRow => {
  const row = sql<ServiceRow>(SERVICE_ROW).get()
  if (row === undefined) throw new StoreProblem('The store has lost its service row: restore a backup.')
  return row
}
