// Puts a backup in the place of a store: all of it, or what was there stays.
import { copyFileSync, existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Database, findDamage, openDatabase } from '../../sqlite/connection/database.ts'
import { flush, putInPlace } from '../../../files/durable-files.ts'
import { followLinks, makePrivateFile } from '../../../files/output.ts'
import type { Restored } from '../restore-store.ts'
import { StoreProblem } from '../../store-problem.ts'
import { unmarkBackup } from '../../sqlite/connection/backup-mark.ts'
import { isBusy, refuseForeignUser } from '../../sqlite/connection/connection.ts'
import { dropDigest } from './backup-digest.ts'
import { asProblem, removePart } from './backup.ts'
import { restoreFile, type ToRestore } from './act-alone.ts'
import { closing } from './closing.ts'
import { takeServingLock } from '../../sqlite/connection/serving-lock.ts'
import type { OfflineTiming } from '../../sqlite/connection/transaction.ts'

const unmark = (part: string, backup: string): void => {
  using db = closing(openDatabase(part))
  const damage = findDamage(db)
  if (damage !== undefined) throw new StoreProblem(`${backup} is damaged: ${damage}.`)
  unmarkBackup(db)
}

/** The copy as a store that was restored. What a disk or a copying program broke is found here. */
const prepare = (part: string, { backup, timing, restoration }: RestoreOptions): Restored => {
  removePart(part)
  makePrivateFile(part)
  copyFileSync(backup, part)
  dropDigest(part)
  unmark(part, backup)
  return restoreFile({ file: part, timing, restoration })
}

const inUse = (file: string): StoreProblem =>
  new StoreProblem(`${file} is in use by another process: end that one first.`)

const openAnything = (file: string, lockMs: number): Database | undefined => {
  try {
    return openDatabase(file, { lockMs })
  } catch {
    return undefined
  }
}

/**
 * Keeps everybody else from the store that is there, with all that is committed in the one file. Undefined where it cannot
 * be opened, as with a file that is damaged.
 */
const seize = (file: string, { sqliteLockMs }: OfflineTiming): Database | undefined => {
  const db = openAnything(file, sqliteLockMs)
  if (db === undefined) return undefined
  try {
    if (db.pragma('journal_mode = delete') === 'wal') throw inUse(file)
    db.exec('begin exclusive')
    return db
  } catch (fault) {
    db.close()
    if (isBusy(fault)) throw inUse(file)
    if (fault instanceof StoreProblem) throw fault
    return undefined
  }
}

const WITHOUT_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']

// A second name for the same file: until the restored one takes the first, nothing has changed.
const keepAs = (file: string, aside: string): void => {
  try {
    linkSync(file, aside)
  } catch (fault) {
    if (!(fault instanceof Error && 'code' in fault && WITHOUT_LINKS.includes(String(fault.code)))) throw fault
    renameSync(file, aside)
  }
}

/** Puts the file in the place of the store that is there, which is kept under another name. */
const replaceStore = (part: string, aside: string, { file, timing }: ToRestore): void => {
  const old = existsSync(file) ? seize(file, timing) : undefined
  try {
    // What a damaged store left beside it must never be taken for the new one's.
    for (const ending of ['-wal', '-shm']) {
      if (existsSync(`${file}${ending}`)) renameSync(`${file}${ending}`, `${aside}${ending}`)
    }
    // Flushed before the renames, between which no file has the name of the store: nothing slow may run there.
    flush(part)
    if (existsSync(file)) keepAs(file, aside)
    putInPlace(part, file)
  } finally {
    old?.close()
  }
}

type RestoreOptions = ToRestore & {
  readonly backup: string
  /** Whether a store that is there is set aside. */
  readonly replace: boolean
}

/** `aside`: under which name the store that was there is kept; null where none was. */
export type RestoredFile = Restored & { readonly aside: string | null }

export const isStoreThere = (file: string): boolean => existsSync(file) || existsSync(`${file}-wal`)

const asideOf = (file: string): string => `${file}.replaced-`

const nameAside = (file: string, wall: number): string =>
  `${asideOf(file)}${new Date(wall).toISOString().replaceAll(/[-:.]/g, '')}`

// A store has two names where a restore was killed between them. Opened by both it would be damaged.
const dropSecondNames = (file: string): void => {
  if (!existsSync(file)) return
  const { ino } = statSync(file)
  const others = readdirSync(dirname(file)).map(name => join(dirname(file), name))
  for (const other of others) if (other.startsWith(asideOf(file)) && statSync(other).ino === ino) rmSync(other)
}

/** Throws StoreProblem with one line for a person; nothing has changed then. */
export const restoreBackup = (given: RestoreOptions): RestoredFile => {
  const { replace, restoration } = given
  // A link to the store stays.
  const file = followLinks(given.file)
  const options = { ...given, file }
  refuseForeignUser(file)
  if (isStoreThere(file) && !replace) {
    throw new StoreProblem(`${file} is there already: set MINTMARK_DATA_DIR to an empty folder, or say --replace.`)
  }
  const unlock = takeServingLock(file)
  const part = `${file}.restoring`
  try {
    dropSecondNames(file)
    const restored = prepare(part, options)
    const aside = isStoreThere(file) ? nameAside(file, restoration.wall) : null
    if (aside === null) putInPlace(part, file)
    else replaceStore(part, aside, options)
    return { ...restored, aside }
  } catch (fault) {
    throw asProblem(file, 'restored', fault)
  } finally {
    removePart(part)
    unlock()
  }
}
