// One process serves a store at a time: two would each run a clock, fill and remove. The lock ends with the process.
import { closeSync, existsSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { StoreProblem } from '../store-problem.ts'
import { isBusy } from './connection.ts'

const makeLockFile = (path: string): void => {
  if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600))
}

/** Takes the lock of a store, in a file beside it that nothing is ever written to; gives the function that ends it. */
export const takeServingLock = (file: string): (() => void) => {
  const path = `${file}-serving`
  makeLockFile(path)
  const db = new Database(path, { timeout: 0 })
  try {
    db.exec('begin exclusive')
    return () => db.close()
  } catch (fault) {
    db.close()
    if (!isBusy(fault)) throw fault
    throw new StoreProblem(`${file} is in use by a mintmark that runs: stop that one first, or set MINTMARK_DATA_DIR.`)
  }
}
