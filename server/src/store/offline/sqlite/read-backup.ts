// What a backup holds, for the person who is about to restore it. Reading changes nothing, and makes no file beside it.
import { statSync } from 'node:fs'
import { type Database, findDamage, openDatabase, runProgram, statementsOf } from '../../sqlite/connection/database.ts'
import type { BackupContent } from '../../../domain/restore.ts'
import type { SigningKey } from '../../../domain/keys/signing-key.ts'
import { only } from '../../statement-program.ts'
import { readAllSealed } from '../../signing-keys/signing-keys.ts'
import { StoreProblem } from '../../store-problem.ts'
import { isBackup, isDigestWanted, readContent } from '../../sqlite/connection/backup-mark.ts'
import { closing } from './closing.ts'
import { checkDigest, damaged } from './backup-digest.ts'
import { type ExportedStore, readState } from './table-rows.ts'
import { PROGRAM_VERSION, schemaVersionOf } from '../../sqlite/schema/migrations.ts'

type FoundBackup = BackupContent & {
  /** False where an older version made the backup: then damage may go undetected. */
  readonly hasDigest: boolean
  /** The keys that only the right key-encryption key opens. */
  readonly sealed: readonly SigningKey[]
}

const openBackup = (file: string) => closing(openDatabase(file, { readOnly: true }))

const refuseNoBackup = (db: Database, file: string): void => {
  if (isBackup(db)) return
  throw new StoreProblem(
    `${file} is no backup that 'mintmark backup' made. A store that was put back by other means is taken with 'mintmark restore epoch'.`,
  )
}

const refuseOther = (db: Database, file: string): void => {
  refuseNoBackup(db, file)
  const { version, oldestProgram } = schemaVersionOf(db)
  if (oldestProgram > PROGRAM_VERSION) {
    throw new StoreProblem(`${file} is of a newer version of Mintmark than this program: restore it with that version.`)
  }
  if (version < PROGRAM_VERSION) {
    throw new StoreProblem(`${file} is of an older version of Mintmark: restore it with that version, then migrate.`)
  }
}

/** Whether it is as it was written, before anything else is made of it. */
const verify = (db: Database, file: string): boolean => {
  refuseNoBackup(db, file)
  const hasDigest = checkDigest(file)
  if (!hasDigest && isDigestWanted(db)) throw damaged(file, 'its end is missing')
  return hasDigest
}

const readMadeAt = () => only<Pick<BackupContent, 'madeAt'>>('select made_at as "madeAt" from backup')

const read = (file: string): FoundBackup => {
  using db = openBackup(file)
  const hasDigest = verify(db, file)
  refuseOther(db, file)
  const sql = statementsOf(db)
  const { madeAt } = runProgram(sql, readMadeAt())
  return { ...runProgram(sql, readContent(madeAt)), hasDigest, sealed: runProgram(sql, readAllSealed()) }
}

/** The rows of a backup, for a store that is no file. */
export const withBackup = async <T>(file: string, work: (given: ExportedStore) => Promise<T>): Promise<T> => {
  using db = openBackup(file)
  refuseOther(db, file)
  return await work(readState(db))
}

const reading = <T>(file: string, work: (file: string) => T): T => {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) throw new StoreProblem(`${file} does not exist.`)
  // SQLite would wait for the writer of a pipe, and read it in no order.
  if (!found.isFile()) throw new StoreProblem(`${file} is no plain file: a backup is read from one, so save it first.`)
  try {
    return work(file)
  } catch (fault) {
    if (fault instanceof StoreProblem || !(fault instanceof Error)) throw fault
    throw new StoreProblem(`${file} cannot be read as a backup (${fault.message}).`)
  }
}

/** Throws StoreProblem with one line for a person. */
export const readBackup = (file: string): FoundBackup => reading(file, read)

export type VerifiedBackup = Pick<FoundBackup, 'hasDigest' | 'madeAt'>

/** Verifies a backup of any version. Throws StoreProblem if it is damaged, or no backup. */
export const verifyBackup = (file: string): VerifiedBackup =>
  reading(file, () => {
    using db = openBackup(file)
    const hasDigest = verify(db, file)
    const damage = findDamage(db)
    if (damage !== undefined) throw damaged(file, damage)
    return { hasDigest, ...runProgram(statementsOf(db), readMadeAt()) }
  })
