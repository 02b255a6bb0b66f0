// Looks at an embedded store for `mintmark doctor`: no file is made beside it, no lock taken, and nothing written.
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import type { StoreInspection } from '../inspection.ts'
import { StoreProblem } from '../store-problem.ts'
import { besideStore } from './connection/serving-lock.ts'
import { refuseMarked } from './connection/backup-mark.ts'
import { refuseNetworkFileSystem, refuseUnwritable } from './connection/connection.ts'
import { type Database, openDatabase, runProgram, statementsOf } from './connection/database.ts'
import { PROGRAM_VERSION, schemaVersionOf } from './schema/migrations.ts'

const codeOf = (fault: unknown): string =>
  fault instanceof Error && 'code' in fault ? String(fault.code) : String(fault)

/** A store of another user may be looked at by root, and by nobody else. */
const refuseUnreadable = (file: string): void => {
  try {
    accessSync(file, constants.R_OK)
  } catch (fault) {
    const code = codeOf(fault)
    throw new StoreProblem(
      code === 'ENOENT' || code === 'ENOTDIR'
        ? `${file} does not exist: run 'mintmark migrate' first, or correct MINTMARK_DATA_DIR or DATABASE_URL.`
        : `${file} cannot be read by this user (${code}): run this as the user of the service.`,
    )
  }
  if (!statSync(file).isFile()) throw new StoreProblem(`${file} is no file: correct MINTMARK_DATA_DIR or DATABASE_URL.`)
}

/**
 * Opens the file with its log, if it has one: a process may be writing, and the log counts. Without a log no process has the
 * store open, and the file is complete.
 */
const open = (file: string): Database =>
  openDatabase(file, { readOnly: true, isStill: !existsSync(besideStore(file, '-wal')) })

const problemOf = (file: string, fault: unknown): StoreProblem => {
  if (fault instanceof StoreProblem) return fault
  const reason = fault instanceof Error ? fault.message : String(fault)
  return new StoreProblem(`${file} cannot be read as a store (${reason}): look at its disk, or restore a backup.`)
}

/** Throws StoreProblem with one line for a person, and so does what it returns. */
export const inspectSqliteStore = async (file: string): Promise<StoreInspection> => {
  refuseUnreadable(file)
  // Whether the service may write is seen as its user only.
  if (process.getuid?.() === statSync(file).uid) refuseUnwritable(file)
  refuseNetworkFileSystem(file)
  let db: Database | undefined
  try {
    db = open(file)
    refuseMarked(db, file)
    const opened = db
    const sql = statementsOf(db)
    return {
      server: `SQLite ${process.versions['sqlite']}`,
      ...schemaVersionOf(db),
      programVersion: PROGRAM_VERSION,
      run: async program => {
        try {
          return runProgram(sql, program)
        } catch (fault) {
          throw problemOf(file, fault)
        }
      },
      otherOrders: async () => [],
      otherMakers: async () => [],
      now: async () => Date.now(),
      close: async () => opened.close(),
    }
  } catch (fault) {
    db?.close()
    throw problemOf(file, fault)
  }
}
