// Copies a store that is being served into one file, as it was at one moment.
import { createReadStream, existsSync, lstatSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Database, findDamage, openDatabase, runProgram, statementsOf } from '../../sqlite/connection/database.ts'
import type { BackupContent } from '../../../domain/restore.ts'
import { putInPlace } from '../../../files/durable-files.ts'
import { findOutput, makePrivateFile, type Output, partOf } from '../../../files/output.ts'
import { removingAtEnd } from '../../../files/unfinished.ts'
import { writeOutput } from '../../../files/write-output.ts'
import { type CopiedRows, copyTable, type OnRows } from '../copy-tables.ts'
import { SERVICE, TABLES } from '../../tables.ts'
import { excludeByRows } from '../../schema-version.ts'
import { StoreProblem } from '../../store-problem.ts'
import { isBackup, markBackup, readContent } from '../../sqlite/connection/backup-mark.ts'
import type { Timing } from '../../../ports/timing.ts'
import { openForReading, openForWriting, type OpenTiming } from '../../sqlite/connection/connection.ts'
import { refuseBesideService } from '../../sqlite/connection/serving-lock.ts'
import { migrateSqliteStore } from '../../sqlite/open.ts'
import { rowsInto } from './table-rows.ts'
import { closing } from './closing.ts'
import { appendDigest } from './backup-digest.ts'

/** Removes a file of SQLite that is not finished, with what stands beside it. */
export const removePart = (part: string): void => {
  for (const ending of ['', '-journal', '-wal', '-shm']) rmSync(`${part}${ending}`, { force: true })
}

export type BackupOptions = {
  /** The path of the store. */
  readonly file: string
  readonly timing: OpenTiming
  readonly target: string
  /** Whether a backup that is there is replaced. */
  readonly force: boolean
  /** Called with how much is copied, as a part of 1. */
  readonly onProgress?: (part: number) => void
}

export type BackupMade = BackupContent & { readonly file: string; readonly bytes: number }

/** Copied between two looks at who waits: 4 MB. */
const PAGES_A_STEP = 1024

const isBackupFile = (path: string): boolean => {
  try {
    using db = closing(openDatabase(path, { readOnly: true }))
    return isBackup(db)
  } catch {
    return false
  }
}

/** Finds where the backup goes. What is no plain file is not replaced, so it needs no `force`. */
const findTarget = ({ target: given, force }: Pick<BackupOptions, 'target' | 'force'>): Output => {
  const output = findOutput(given)
  const target = resolve(given)
  if (output.kind !== 'file') return output
  const { path } = output
  // A link that leads to no file is there, too.
  const isThere = lstatSync(target, { throwIfNoEntry: false }) !== undefined
  if (isThere && !force)
    throw new StoreProblem(`${target} is there already: name another file, or replace it with --force.`)
  if (existsSync(path) && !isBackupFile(path))
    throw new StoreProblem(`${target} is no backup, and only a backup is replaced: remove it first.`)
  return output
}

/**
 * One read transaction holds the moment while the pages are copied in steps: other processes go on writing, and what is written
 * meanwhile is not in the copy. Without it SQLite begins anew after each commit of another process.
 */
const copyMoment = async (db: Database, part: string, onProgress: BackupOptions['onProgress']) => {
  const before = Date.now()
  db.exec('begin')
  try {
    const content = runProgram(statementsOf(db), readContent(before))
    await db.backup(part, {
      pagesAStep: PAGES_A_STEP,
      onProgress: ({ totalPages, remainingPages }) => onProgress?.(1 - remainingPages / Math.max(1, totalPages)),
    })
    return content
  } finally {
    db.exec('commit')
  }
}

const mark = (part: string, madeAt: number): void => {
  using db = closing(openDatabase(part))
  // Pages are copied without being looked at, and a damaged copy would take the place of a backup that can be restored.
  const damage = findDamage(db)
  if (damage !== undefined)
    throw new StoreProblem(
      `the backup was not written: the store is damaged (${damage}). Keep the backups that you have, look at its disk, and restore one.`,
    )
  markBackup(db, madeAt)
}

/** What the system says of a file, as a sentence for a person. */
export const asProblem = (file: string, undone: 'written' | 'restored', fault: unknown): unknown =>
  fault instanceof Error && 'code' in fault && !(fault instanceof StoreProblem)
    ? new StoreProblem(`${file} was not ${undone} (${fault.message}); what was there before is as it was.`)
    : fault

/** Copies the store into this file. */
type Fill = (part: string) => Promise<BackupContent>

type Made = BackupContent & { readonly bytes: number }

/** Makes the backup in `part`, and puts it where it belongs by `place`. */
const makeBackup = (part: string, fill: Fill, place: () => Promise<void> | void): Promise<Made> =>
  removingAtEnd(
    () => removePart(part),
    async () => {
      makePrivateFile(part)
      const content = await fill(part)
      mark(part, content.madeAt)
      appendDigest(part)
      const bytes = statSync(part).size
      await place()
      return { ...content, bytes }
    },
  )

/** SQLite writes a file in no order: a pipe gets it once it is whole. */
const streamBackup = async (target: string, fill: Fill): Promise<Made> => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-backup-'))
  const part = join(folder, 'part')
  const made = Promise.withResolvers<Made>()
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  return removingAtEnd(remove, async () => {
    await writeOutput(target, async into =>
      made.resolve(await makeBackup(part, fill, () => pipeline(createReadStream(part), into))),
    )
    return made.promise
  })
}

const writeBackup = async (target: string, output: Output, fill: Fill): Promise<BackupMade> => {
  try {
    if (output.kind !== 'file') return { ...(await streamBackup(target, fill)), file: target }
    const { path } = output
    const part = partOf(path)
    return { ...(await makeBackup(part, fill, () => putInPlace(part, path))), file: target }
  } catch (fault) {
    throw asProblem(target, 'written', fault)
  }
}

/** Writes the backup beside its place, and puts it there whole. Throws StoreProblem with one line for a person. */
export const backupStore = async (options: BackupOptions): Promise<BackupMade> => {
  const { file, timing, onProgress } = options
  const target = resolve(options.target)
  if (existsSync(file)) refuseBesideService(file)
  using db = closing(openForReading(file, timing))
  return await writeBackup(target, findTarget(options), part => copyMoment(db, part, onProgress))
}

const NUMBER = `insert into sqlite_sequence (name, seq) values (?, ?)`

const fillWith = async (db: Database, { rows, lastGiven }: CopiedRows, onRows: OnRows): Promise<void> => {
  const target = rowsInto(db)
  db.exec('begin; delete from service')
  for (const table of [...TABLES, SERVICE]) await copyTable(rows, target, { table, last: null, onRows })
  for (const [name, n] of lastGiven) {
    db.prepare('delete from sqlite_sequence where name = ?').run(name)
    db.prepare(NUMBER).run(name, n)
  }
  runProgram(statementsOf(db), excludeByRows())
  db.exec('commit')
}

type RowsBackup = Pick<BackupOptions, 'target' | 'force'> & {
  readonly timing: OpenTiming & Pick<Timing, 'sqliteLockMs'>
  readonly copied: CopiedRows
  readonly onRows: OnRows
}

/** Backs up a store that is no file. */
export const backupRows = ({ timing, copied, onRows, ...options }: RowsBackup): Promise<BackupMade> => {
  const target = resolve(options.target)
  return writeBackup(target, findTarget(options), async part => {
    await migrateSqliteStore({ file: part, timing, madeBy: copied.madeBy, now: copied.madeAt })
    using db = closing(openForWriting(part, timing))
    await fillWith(db, copied, onRows)
    return runProgram(statementsOf(db), readContent(copied.madeAt))
  })
}
