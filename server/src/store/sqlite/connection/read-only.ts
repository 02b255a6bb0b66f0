// A store on a read-only file system, as a volume that is mounted so. SQLite makes files beside a store in WAL mode even to read
// it: where there are none, the store is read into memory.
import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { StoreProblem } from '../../store-problem.ts'

/** More is not read into memory. */
const STORE_BYTES_MAX = 268_435_456

/** The two bytes of the header that say whether a log belongs to the file, and what they are without one. */
const [LOG_BYTES_BEGIN, LOG_BYTES_END, WITHOUT_LOG] = [18, 20, 1]

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

/** Of the file, and whether it is all: what is committed and not in it yet stands in the log. */
const lookAt = (path: string) => {
  const { size, mtimeNs } = statSync(path, { bigint: true })
  return { size, mtimeNs, hasLog: isThere(`${path}-wal`) }
}

const readStill = (file: string, path: string): Buffer => {
  const before = lookAt(path)
  if (before.size > STORE_BYTES_MAX)
    throw new StoreProblem(
      `${file} is on a read-only file system, and larger than ${STORE_BYTES_MAX} bytes: ${ELSEWHERE}.`,
    )
  const bytes = readFileSync(path)
  const after = lookAt(path)
  if (after.hasLog || after.mtimeNs !== before.mtimeNs || after.size !== before.size)
    throw new StoreProblem(`${file} was changed while it was read: run the command again.`)
  return bytes.fill(WITHOUT_LOG, LOG_BYTES_BEGIN, LOG_BYTES_END)
}

/** The log beside it, of a service that runs or was killed, is read with its index, which nobody can make here. */
const openWithLog = (file: string): Database.Database => {
  const db = new Database(file, { readonly: true, fileMustExist: true })
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
export const openReadOnly = (file: string): Database.Database => {
  const path = realpathSync(file)
  return isThere(`${path}-wal`) ? openWithLog(file) : new Database(readStill(file, path))
}
