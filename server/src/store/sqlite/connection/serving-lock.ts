// One process serves a store at a time: two would each run a clock, backfill and remove. The lock ends with the process.
import Database from 'better-sqlite3'
import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { StoreProblem } from '../../store-problem.ts'
import { isBusy } from './connection.ts'
import { Unavailable } from '../../../domain/refusal.ts'

const makeLockFile = (path: string): void => {
  if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600))
}

const takeLock = (path: string, problem: string): (() => void) => {
  makeLockFile(path)
  const db = new Database(path, { timeout: 0 })
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
    `${file}-serving`,
    `${file} is in use by a mintmark that runs: stop that one first, or set MINTMARK_DATA_DIR.`,
  )

/** The same for a copy of the store into a database. */
export const takeMovingLock = (file: string): (() => void) =>
  takeLock(`${file}-moving`, `Another migrate-store copies ${file}: wait for it, or end it.`)

const identityOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino

/** Call it with the store open and read once; the function it returns throws Unavailable where a file is another one. */
export const guardFiles = (file: string): (() => void) => {
  const paths = [file, `${file}-wal`]
  const opened = paths.map(identityOf)
  return () => {
    const n = paths.findIndex((path, index) => identityOf(path) !== opened[index])
    if (n === -1) return
    throw new Unavailable(`${paths[n]} was removed or replaced while the service runs: stop it and restore a backup.`)
  }
}
