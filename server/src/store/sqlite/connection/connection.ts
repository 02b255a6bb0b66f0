// Connections to the embedded store. Nothing else in our processes opens the file: closing any descriptor drops its locks.
import { accessSync, closeSync, constants, existsSync, openSync, realpathSync, statfsSync, statSync } from 'node:fs'
import { devNull } from 'node:os'
import { dirname } from 'node:path'
import { type Database, openDatabase, resultOf, SQLITE_RESULTS } from './database.ts'
import { TOO_FEW_FILES, Unavailable } from '../../../domain/refusal.ts'
import type { Timing } from '../../../ports/timing.ts'
import { monotonicMs, sleep } from '../../clocks.ts'
import { StoreProblem } from '../../store-problem.ts'
import { refuseMarked } from './backup-mark.ts'
import { isReadOnly, openReadOnly } from './read-only.ts'
import { PROGRAM_VERSION, schemaVersionOf } from '../schema/migrations.ts'

// Linux's f_type of file systems that machines share: SQLite's shared memory and locks do not reach across them.
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x01021997, '9P'],
])

/** The f_type of the file system of a folder; undefined where the system does not report it as Linux does. */
type FileSystemTypeOf = (folder: string) => number | undefined

const fileSystemTypeOf: FileSystemTypeOf = folder =>
  process.platform === 'linux' ? statfsSync(folder).type : undefined

export const refuseNetworkFileSystem = (file: string, typeOf = fileSystemTypeOf): void => {
  const kind = NETWORK_FILE_SYSTEMS.get(typeOf(dirname(file)) ?? 0)
  if (kind !== undefined) {
    throw new StoreProblem(`${file} is on a network file system (${kind}), where SQLite is not safe: use a local disk.`)
  }
}

const unwritable = (file: string, fault: unknown): StoreProblem => {
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : 'unknown'
  const advice =
    code === 'EROFS'
      ? 'its file system is read-only, where agents, credentials, API keys and the audit log can be listed. What changes something or depends on the time needs it writable.'
      : 'make the folder exist and writable for this user.'
  return new StoreProblem(`${file} cannot be written (${code}): ${advice}`)
}

// Asked without opening the file: closing a descriptor on it would drop the locks of connections already open here.
export const refuseUnwritable = (file: string): void => {
  try {
    const isThere = existsSync(file)
    if (isThere) accessSync(file, constants.W_OK)
    // SQLite makes its log beside the file, not beside a link to it.
    accessSync(dirname(isThere ? realpathSync(file) : file), constants.W_OK)
  } catch (fault) {
    throw unwritable(file, fault)
  }
}

// Made here, before any connection, so that nobody else can read it; SQLite gives -wal and -shm the same mode.
const makeFile = (file: string): void => {
  if (existsSync(file)) return
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (fault) {
    // Another migration may have made it just now.
    if (!existsSync(file)) throw unwritable(file, fault)
  }
}

/** Refuses a user who is not the owner of the store: files that they create beside it would be closed to the service. */
export const refuseForeignUser = (file: string, userId = () => process.getuid?.()): void => {
  const user = userId()
  const owned = existsSync(file) ? file : dirname(file)
  const owner = statSync(owned).uid
  if (user !== undefined && user !== owner) {
    throw new StoreProblem(`${owned} belongs to user ${owner}, this is user ${user}: run the command as that user.`)
  }
}

const refuseVersion = (db: Database, file: string): void => {
  const { version, oldestProgram } = schemaVersionOf(db)
  if (version === 0) throw new StoreProblem(`${file} is not set up yet: run 'mintmark migrate' first.`)
  if (version < PROGRAM_VERSION) throw new StoreProblem(`${file} is of an older version: run 'mintmark migrate' first.`)
  if (oldestProgram > PROGRAM_VERSION) {
    throw new StoreProblem(`${file} is of a newer version of Mintmark than this program: run that version.`)
  }
}

/** What SQLite opens for one connection: the file, its log, its shared memory, and a folder that it syncs. */
const FILES_OF_CONNECTION = 4

// SQLite says of a file that it cannot open it, and not why. The store itself is not opened for that: see above.
const lacksFiles = (): boolean => {
  const opened: number[] = []
  try {
    for (let n = 0; n < FILES_OF_CONNECTION; n += 1) opened.push(openSync(devNull, 'r'))
    return false
  } catch (fault) {
    return fault instanceof Error && 'code' in fault && fault.code === 'EMFILE'
  } finally {
    opened.forEach(closeSync)
  }
}

// A log or shared memory that cannot grow is a "disk I/O error" to SQLite.
const isDiskFull = (file: string): boolean => {
  try {
    return statfsSync(dirname(file)).bavail === 0
  } catch {
    return false
  }
}

const adviceOn = (file: string): string => {
  if (lacksFiles()) return ` ${TOO_FEW_FILES}`
  return isDiskFull(file) ? ' Its disk is full: make room there.' : ''
}

type Opening = { readonly lockMs?: number; readonly takesMoved?: boolean }

/** What is refused has not been written to. */
const refuseNoStore = (db: Database, file: string, opening: Opening): Database => {
  try {
    refuseMarked(db, file, opening)
    return db
  } catch (fault) {
    db.close()
    throw fault
  }
}

const open = (file: string, opening: Opening = {}): Database => {
  try {
    const db = refuseNoStore(openDatabase(file, opening), file, opening)
    // Readers and one writer; a commit is acknowledged once it is on the disk (FULL), on macOS by its own strong call.
    for (const pragma of ['journal_mode = wal', 'synchronous = full', 'fullfsync = on', 'checkpoint_fullfsync = on']) {
      db.pragma(pragma)
    }
    db.pragma('foreign_keys = on')
    db.pragma('cache_size = -16000')
    return db
  } catch (fault) {
    if (fault instanceof StoreProblem) throw fault
    const code = fault instanceof Error ? fault.message : String(fault)
    throw new StoreProblem(`${file} cannot be opened as a store (${code}).${adviceOn(file)}`, { cause: fault })
  }
}

export const isBusy = (fault: unknown): boolean => resultOf(fault) === SQLITE_RESULTS.busy

export const lockedTooLong = (file: string): StoreProblem =>
  new StoreProblem(`Another process held the lock of ${file} too long: run the command again.`)

type LockTiming = Pick<Timing, 'sqliteLockMs' | 'sqliteRetryMs'>

/** SQLite waits for no lock where it makes the log of a store, or clears it away: another process does so just then. */
const patiently = <T>(file: string, { waitMs, retryMs }: { waitMs: number; retryMs: number }, work: () => T): T => {
  for (const deadline = monotonicMs() + waitMs; ; sleep(retryMs)) {
    try {
      return work()
    } catch (fault) {
      if (!(fault instanceof StoreProblem && isBusy(fault.cause))) throw fault
      if (monotonicMs() >= deadline) throw lockedTooLong(file)
    }
  }
}

/** A connection for `migrate`: makes the file where there is none, and takes a store of any older version. */
export const openForMigration = (
  file: string,
  { sqliteLockMs, sqliteRetryMs }: LockTiming,
  typeOf = fileSystemTypeOf,
): Database => {
  refuseUnwritable(file)
  refuseNetworkFileSystem(file, typeOf)
  makeFile(file)
  // SQLite's own wait for a lock blocks the thread. Here it may: only the person who runs the migration waits.
  return patiently(file, { waitMs: sqliteLockMs, retryMs: sqliteRetryMs }, () => open(file, { lockMs: sqliteLockMs }))
}

// A file in a folder that this user may not enter is not a missing one.
const refuseMissing = (file: string): void => {
  try {
    accessSync(file, constants.F_OK)
  } catch (fault) {
    const isMissing = fault instanceof Error && 'code' in fault && fault.code === 'ENOENT'
    if (!isMissing) throw unwritable(file, fault)
    throw new StoreProblem(`${file} does not exist: run 'mintmark migrate' first.`)
  }
}

const refuseUnmigrated = (db: Database, file: string): Database => {
  try {
    // A container's root may be read-only, /tmp with it. Not in a migration, whose temporary files may be as large as a table.
    db.pragma('temp_store = memory')
    refuseVersion(db, file)
    return db
  } catch (fault) {
    db.close()
    throw fault
  }
}

export type OpenTiming = Pick<Timing, 'sqliteOpenMs' | 'sqliteRetryMs'>

type Migrated = {
  readonly timing: OpenTiming
  readonly typeOf?: FileSystemTypeOf | undefined
  readonly takesMoved?: true
}

const openMigrated = (file: string, { timing, typeOf, ...opening }: Migrated): Database => {
  refuseMissing(file)
  refuseUnwritable(file)
  refuseNetworkFileSystem(file, typeOf)
  return refuseUnmigrated(
    patiently(file, { waitMs: timing.sqliteOpenMs, retryMs: timing.sqliteRetryMs }, () => open(file, opening)),
    file,
  )
}

/** The writing connection; one in a process. */
export const openForWriting = (file: string, timing: OpenTiming, typeOf?: FileSystemTypeOf): Database =>
  openMigrated(file, { timing, typeOf })

/** A connection for a move of the store, also after it was marked as moved. */
export const openForMove = (file: string, timing: OpenTiming): Database =>
  openMigrated(file, { timing, takesMoved: true })

const openUnwritable = (file: string): Database => refuseUnmigrated(refuseNoStore(openReadOnly(file), file, {}), file)

/** A reading connection; it cannot write. */
export const openForReading = (file: string, timing: OpenTiming, typeOf?: FileSystemTypeOf): Database => {
  refuseMissing(file)
  const db = isReadOnly(file) ? openUnwritable(file) : openMigrated(file, { timing, typeOf })
  db.pragma('query_only = on')
  return db
}

const STORE_FAULTS = new Set<number | undefined>(Object.values(SQLITE_RESULTS))

const isOfDisk = (fault: unknown): fault is Error => STORE_FAULTS.has(resultOf(fault))

/** Whether the store, not our code, failed: the answer is then 503. */
export const isStoreFault = (fault: unknown): boolean => fault instanceof Unavailable || isOfDisk(fault)

/** Returns the fault as a person who runs a command is to see it. */
export const asStoreProblem = (fault: unknown): unknown => {
  if (!isOfDisk(fault)) return fault
  const isFull = resultOf(fault) === SQLITE_RESULTS.full
  const advice = isFull ? 'make room on its disk' : 'look at its disk, and restore a backup if it stays so'
  return new StoreProblem(`The store cannot be used (${fault.message}): ${advice}.`, { cause: fault })
}
