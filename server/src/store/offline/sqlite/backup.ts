// Copies a store that is being served into one file, as it was at one moment.
import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import type { BackupContent } from '../../../domain/restore.ts'
import { copyTable, type OnRows } from '../copy-tables.ts'
import { type RowSource, SERVICE, TABLES } from '../../tables.ts'
import type { StoreMaker } from '../../store-options.ts'
import { StoreProblem } from '../../store-problem.ts'
import { isBackup, markBackup, readContent } from '../../sqlite/connection/backup-mark.ts'
import type { Timing } from '../../../ports/timing.ts'
import { openForReading, openForWriting, refuseForeignUser } from '../../sqlite/connection/connection.ts'
import { migrateSqliteStore } from '../../sqlite/open.ts'
import { rowsInto } from './table-rows.ts'
import { makePrivateFile, putInPlace, removePart } from './durable-files.ts'
import { runProgram, statementsOf } from '../../sqlite/connection/statements.ts'

export type BackupOptions = {
  /** Of the store. */
  readonly file: string
  readonly target: string
  /** Whether a backup that is there is replaced. */
  readonly force: boolean
  /** Called with how much is copied, as a part of 1. */
  readonly onProgress?: (part: number) => void
}

export type BackupMade = BackupContent & { readonly file: string; readonly bytes: number }

/** Copied between two looks at who waits: 4 MB. */
const PAGES_A_STEP = 1024

const STORE_ENDINGS = ['', '-wal', '-shm', '-serving', '-moving']

const placeOf = (path: string): string => join(realpathSync(dirname(path)), basename(path))

const isFileOfStore = (file: string, target: string): boolean => {
  const place = existsSync(target) ? realpathSync(target) : placeOf(target)
  return STORE_ENDINGS.some(ending => place === `${realpathSync(file)}${ending}`)
}

const isBackupFile = (path: string): boolean => {
  if (!lstatSync(path).isFile()) return false
  try {
    const db = new Database(path, { readonly: true, fileMustExist: true })
    try {
      return isBackup(db)
    } finally {
      db.close()
    }
  } catch {
    return false
  }
}

type Target = Pick<BackupOptions, 'target' | 'force'> & { readonly file: string | null }

const refuseTarget = ({ file, target, force }: Target): void => {
  if (!existsSync(dirname(target)))
    throw new StoreProblem(`The folder ${dirname(target)} does not exist: make it first.`)
  if (file !== null && isFileOfStore(file, target))
    throw new StoreProblem(`${target} is a file of the store itself: name another.`)
  if (!existsSync(target)) return
  if (!force) throw new StoreProblem(`${target} is there already: name another file, or replace it with --force.`)
  if (!isBackupFile(target))
    throw new StoreProblem(`${target} is no backup, and only a backup is replaced: remove it first.`)
}

/**
 * One read transaction holds the moment while the pages are copied in steps: other processes go on writing, and what is written
 * meanwhile is not in the copy. Without it SQLite begins anew after each commit of another process.
 */
const copyMoment = async (db: Database.Database, part: string, onProgress: BackupOptions['onProgress']) => {
  const before = Date.now()
  db.exec('begin')
  try {
    const content = runProgram(statementsOf(db), readContent(before))
    await db.backup(part, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress?.(1 - remainingPages / Math.max(1, totalPages))
        return PAGES_A_STEP
      },
    })
    return content
  } finally {
    db.exec('commit')
  }
}

const finish = (part: string, madeAt: number): void => {
  const db = new Database(part)
  try {
    markBackup(db, madeAt)
  } finally {
    db.close()
  }
}

const asProblem = (target: string, fault: unknown): unknown =>
  fault instanceof Error && 'code' in fault && !(fault instanceof StoreProblem)
    ? new StoreProblem(`${target} was not written (${fault.message}); what was there before is as it was.`)
    : fault

const writeBackup = async (
  { target, part }: { readonly target: string; readonly part: string },
  fill: () => Promise<BackupContent>,
): Promise<BackupMade> => {
  try {
    makePrivateFile(part)
    const content = await fill()
    finish(part, content.madeAt)
    const bytes = statSync(part).size
    putInPlace(part, target)
    return { ...content, file: target, bytes }
  } catch (fault) {
    throw asProblem(target, fault)
  } finally {
    removePart(part)
  }
}

const partOf = (target: string): string => `${target}.${process.pid}.part`

/** Writes the backup beside its place, and puts it there whole. Throws StoreProblem with one line for a person. */
export const backupStore = async (options: BackupOptions): Promise<BackupMade> => {
  const { file, onProgress } = options
  const target = resolve(options.target)
  if (existsSync(file)) refuseForeignUser(file)
  const db = openForReading(file)
  try {
    refuseTarget({ ...options, target })
    const part = partOf(target)
    return await writeBackup({ target, part }, () => copyMoment(db, part, onProgress))
  } finally {
    db.close()
  }
}

/** What is copied from elsewhere, as of a moment. */
type CopiedRows = {
  readonly rows: RowSource
  readonly lastGiven: ReadonlyMap<string, number>
  readonly madeBy: StoreMaker
  readonly madeAt: number
}

const NUMBER = `insert into sqlite_sequence (name, seq) values (?, ?)`

const fillWith = async (db: Database.Database, { rows, lastGiven }: CopiedRows, onRows: OnRows): Promise<void> => {
  const target = rowsInto(db)
  db.exec('begin; delete from service')
  for (const table of [...TABLES, SERVICE]) await copyTable(rows, target, { table, last: null, onRows })
  for (const [name, n] of lastGiven) {
    db.prepare('delete from sqlite_sequence where name = ?').run(name)
    db.prepare(NUMBER).run(name, n)
  }
  db.exec('commit')
}

type RowsBackup = Pick<BackupOptions, 'target' | 'force'> & {
  readonly timing: Pick<Timing, 'sqliteLockMs'>
  readonly copied: CopiedRows
  readonly onRows: OnRows
}

/** The same of a store that is no file. */
export const backupRows = ({ timing, copied, onRows, ...options }: RowsBackup): Promise<BackupMade> => {
  const target = resolve(options.target)
  refuseTarget({ ...options, target, file: null })
  const part = partOf(target)
  return writeBackup({ target, part }, async () => {
    await migrateSqliteStore({ file: part, timing, madeBy: copied.madeBy, now: copied.madeAt })
    const db = openForWriting(part)
    try {
      await fillWith(db, copied, onRows)
      return runProgram(statementsOf(db), readContent(copied.madeAt))
    } finally {
      db.close()
    }
  })
}
