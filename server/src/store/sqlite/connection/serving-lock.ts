// One process serves a store at a time: two would each run a clock, backfill and remove. The lock ends with the process.
import { closeSync, existsSync, openSync, statSync, realpathSync } from 'node:fs'
import { type Database, openDatabase } from './database.ts'
import { StoreProblem } from '../../store-problem.ts'
import { isBusy, refuseForeignUser } from './connection.ts'
import { Unavailable } from '../../../domain/refusal.ts'

// Where the files beside a store are: beside the file itself, where SQLite has its own, and not beside a link to it.

type Ending = '' | '-wal' | '-shm' | '-serving' | '-moving'

/** Returns the path of a file beside the store; a link to the store counts as the store itself. */
export const besideStore = (file: string, ending: Ending): string =>
  `${existsSync(file) ? realpathSync(file) : file}${ending}`

const makeLockFile = (path: string): void => {
  try {
    if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600))
  } catch (fault) {
    // Another process may have made it just now.
    if (!existsSync(path)) throw fault
  }
}

const takeLock = (path: string, problem: string): (() => void) => {
  makeLockFile(path)
  const db = openDatabase(path)
  try {
    db.exec('begin exclusive')
    return () => db.close()
  } catch (fault) {
    db.close()
    if (!isBusy(fault)) throw fault
    throw new StoreProblem(problem)
  }
}

/** Takes the lock of a store, in a file beside it that nothing is ever written to; returns the function that ends it. */
export const takeServingLock = (file: string): (() => void) =>
  takeLock(
    besideStore(file, '-serving'),
    `${file} is in use by a mintmark that runs: stop that one first, or set MINTMARK_DATA_DIR.`,
  )

/** Takes the lock of a copy of the store into a database. */
export const takeMovingLock = (file: string): (() => void) =>
  takeLock(besideStore(file, '-moving'), `Another migrate-store copies ${file}: wait for it, or end it.`)

/** SQLite's log of the store, and the memory in which its processes see what is in the log. */
const ENDINGS = ['-wal', '-shm'] as const

const isLockHeld = (path: string): boolean => {
  let db: Database | undefined
  try {
    db = openDatabase(path, { readOnly: true })
    db.pragma('schema_version')
    return false
  } catch (fault) {
    return isBusy(fault)
  } finally {
    db?.close()
  }
}

/** While a store is served both are there: a command would make others in their place, which the service never sees. */
const refuseTornStore = (file: string): void => {
  const missing = ENDINGS.map(ending => besideStore(file, ending)).find(path => !existsSync(path))
  const lock = besideStore(file, '-serving')
  if (missing === undefined || !existsSync(lock) || !isLockHeld(lock)) return
  throw new StoreProblem(
    `${missing} was removed while a service uses ${file}, which would not see what the command does: restart the service, and run the command again.`,
  )
}

/** Refuses a command that cannot act beside the service: of another user, or where files of the store were taken away. */
export const refuseBesideService = (file: string): void => {
  refuseForeignUser(file)
  refuseTornStore(file)
}

const identityOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino

/** Call it with the store open and read once; the function it returns throws Unavailable where a file is another one. */
export const guardFiles = (file: string): (() => void) => {
  const paths = (['', ...ENDINGS] as const).map(ending => besideStore(file, ending))
  const opened = paths.map(identityOf)
  return () => {
    const n = paths.findIndex((path, index) => identityOf(path) !== opened[index])
    if (n === -1) return
    throw new Unavailable(`${paths[n]} was removed or replaced while the service runs: stop it and restore a backup.`)
  }
}
