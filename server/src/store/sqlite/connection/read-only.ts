// A store on a read-only file system, as a volume that is mounted so. SQLite makes files beside a store in WAL mode even to read
// it: where there are none, the store is read into memory.
import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Database, openDatabase } from './database.ts'
import { StoreProblem } from '../../store-problem.ts'

export const isReadOnly = (file: string): boolean => {
  try {
    accessSync(dirname(realpathSync(file)), constants.W_OK)
    return false
  } catch (fault) {
    return fault instanceof Error && 'code' in fault && fault.code === 'EROFS'
  }
}

const ELSEWHERE = 'run the command where it can be written, or on a copy of it in a folder that can'

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

/** Returns the size and time of the file, and whether a log with further commits stands beside it. */
const lookAt = (path: string) => {
  const { size, mtimeNs } = statSync(path, { bigint: true })
  return { size, mtimeNs, hasLog: isThere(`${path}-wal`) }
}

/** Opens a file without a log, which is complete. It may be writable from elsewhere: closing checks whether it changed. */
const openStill = (file: string, path: string): Database => {
  const before = lookAt(path)
  const db = openDatabase(path, { readOnly: true, isStill: true })
  const close = (): void => {
    db.close()
    const after = lookAt(path)
    if (after.hasLog || after.mtimeNs !== before.mtimeNs || after.size !== before.size)
      throw new StoreProblem(`${file} was changed while it was read: run the command again.`)
  }
  return { ...db, close }
}

/** The log beside it, of a service that runs or was killed, is read with its index, which nobody can make here. */
const openWithLog = (file: string): Database => {
  const db = openDatabase(file, { readOnly: true })
  try {
    db.pragma('schema_version')
    return db
  } catch (fault) {
    db.close()
    const reason = fault instanceof Error ? fault.message : String(fault)
    throw new StoreProblem(
      `${file} is on a read-only file system, and ${file}-wal, which has what was written last, cannot be read there (${reason}): ${ELSEWHERE}, with ${file}-wal beside it.`,
    )
  }
}

/** Reads the store as it is; nothing can be written by it. */
export const openReadOnly = (file: string): Database => {
  const path = realpathSync(file)
  return isThere(`${path}-wal`) ? openWithLog(file) : openStill(file, path)
}
