// What a backup holds, for the person who is about to restore it. Reading changes nothing, and makes no file beside it.
import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { BackupContent } from '../../../domain/restore.ts'
import type { SigningKey } from '../../../domain/keys/signing-key.ts'
import { only } from '../../statement-program.ts'
import { readAllSealed } from '../../signing-keys/signing-keys.ts'
import { StoreProblem } from '../../store-problem.ts'
import { isBackup, readContent } from '../../sqlite/connection/backup-mark.ts'
import { type ExportedStore, readState } from './table-rows.ts'
import { PROGRAM_VERSION, schemaVersionOf } from '../../sqlite/schema/migrations.ts'
import { runProgram, statementsOf } from '../../sqlite/connection/statements.ts'

type FoundBackup = BackupContent & {
  /** Those that only the right key-encryption key opens. */
  readonly sealed: readonly SigningKey[]
}

const refuseOther = (db: Database.Database, file: string): void => {
  if (!isBackup(db)) {
    throw new StoreProblem(
      `${file} is no backup that 'mintmark backup' made. A store that was put back by other means is taken with 'mintmark restore epoch'.`,
    )
  }
  const { version, oldestProgram } = schemaVersionOf(db)
  if (oldestProgram > PROGRAM_VERSION) {
    throw new StoreProblem(`${file} is of a newer version of Mintmark than this program: restore it with that version.`)
  }
  if (version < PROGRAM_VERSION) {
    throw new StoreProblem(`${file} is of an older version of Mintmark: restore it with that version, then migrate.`)
  }
}

const read = (file: string): FoundBackup => {
  const db = new Database(file, { readonly: true, fileMustExist: true })
  try {
    refuseOther(db, file)
    const sql = statementsOf(db)
    const { madeAt } = runProgram(sql, only<{ madeAt: number }>('select made_at as "madeAt" from backup'))
    return { ...runProgram(sql, readContent(madeAt)), sealed: runProgram(sql, readAllSealed()) }
  } finally {
    db.close()
  }
}

/** The rows of a backup, for a store that is no file. */
export const withBackup = async <T>(file: string, work: (given: ExportedStore) => Promise<T>): Promise<T> => {
  const db = new Database(file, { readonly: true, fileMustExist: true })
  try {
    refuseOther(db, file)
    return await work(readState(db))
  } finally {
    db.close()
  }
}

/** Throws StoreProblem with one line for a person. */
export const readBackup = (file: string): FoundBackup => {
  if (!existsSync(file)) throw new StoreProblem(`${file} does not exist.`)
  try {
    return read(file)
  } catch (fault) {
    if (fault instanceof StoreProblem || !(fault instanceof Error)) throw fault
    throw new StoreProblem(`${file} cannot be read as a backup (${fault.message}).`)
  }
}
