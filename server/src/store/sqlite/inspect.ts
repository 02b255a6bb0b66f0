// Looks at an embedded store for `mintmark doctor`. Node's own SQLite opens it: unlike the service's it can be opened knowing that a
// file does not change, and then creates none beside it, takes no lock, and writes nothing.
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite' // oxlint-disable-line no-restricted-imports -- as below
import { pathToFileURL } from 'node:url'
import type { Answer, Program, Statement } from '../statement-program.ts'
import type { StoreInspection } from '../inspection.ts'
import { SCHEMA_VERSION } from '../schema-version.ts'
import { StoreProblem } from '../store-problem.ts'
import { besideStore } from './connection/beside-store.ts'
import { BACKUP_MARK, MOVED_MARK } from './connection/backup-mark.ts'
import { NETWORK_FILE_SYSTEMS, refuseUnwritable } from './connection/connection.ts'
import { sqliteText } from './connection/statements.ts'
import { PROGRAM_VERSION } from './schema/migrations.ts'

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

const refuseNetworkFileSystem = (file: string): void => {
  const kind = process.platform === 'linux' ? NETWORK_FILE_SYSTEMS.get(statfsSync(dirname(file)).type) : undefined
  if (kind !== undefined) {
    throw new StoreProblem(`${file} is on a network file system (${kind}), where SQLite is not safe: use a local disk.`)
  }
}

/**
 * Where a log stands beside it somebody may be writing, and what the log holds counts. Without one nobody has the store
 * open, and the file is all there is.
 */
const addressOf = (file: string): URL => {
  const address = pathToFileURL(file)
  address.search = existsSync(besideStore(file, '-wal')) ? '?mode=ro' : '?mode=ro&immutable=1'
  return address
}

const open = async (file: string): Promise<DatabaseSync> => {
  const { DatabaseSync: Database } = await import('node:sqlite') // oxlint-disable-line no-restricted-imports -- the only one to open the file in the process of a doctor
  return new Database(addressOf(file), { readOnly: true })
}

type Row = Readonly<Record<string, unknown>>

const refuseMarked = (db: DatabaseSync, file: string): void => {
  const mark = (db.prepare('pragma application_id').get() as Row | undefined)?.['application_id']
  if (mark === BACKUP_MARK) throw new StoreProblem(`${file} is a backup, not a store: run 'mintmark restore ${file}'.`)
  if (mark === MOVED_MARK) {
    throw new StoreProblem(`${file} was copied into a database, where it goes on: set DATABASE_URL.`)
  }
}

const versionOf = (db: DatabaseSync): Pick<StoreInspection, 'version' | 'oldestProgram'> => {
  const none = { version: 0, oldestProgram: 0 }
  if (db.prepare(`select 1 from sqlite_schema where type = 'table' and name = 'migration'`).get() === undefined)
    return none
  return (db.prepare(SCHEMA_VERSION).get() as typeof none | undefined) ?? none // as the statement lists it
}

const answer = (db: DatabaseSync, { text, values }: Statement): Answer => ({
  rows: db.prepare(sqliteText(text)).all(...values),
  changes: 0,
})

const runOn = <T>(db: DatabaseSync, program: Program<T>): T => {
  let step = program.next()
  while (step.done !== true) step = program.next(answer(db, step.value))
  return step.value
}

const describe = (db: DatabaseSync): string => {
  const row = db.prepare('select sqlite_version() as version').get() as Row | undefined
  return `SQLite ${String(row?.['version'])}`
}

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
  let db: DatabaseSync | undefined
  try {
    db = await open(file)
    refuseMarked(db, file)
    const opened = db
    return {
      server: describe(db),
      ...versionOf(db),
      programVersion: PROGRAM_VERSION,
      run: async program => {
        try {
          return runOn(opened, program)
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
