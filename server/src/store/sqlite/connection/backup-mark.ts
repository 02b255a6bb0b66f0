// In this folder: access to the SQLite file: opening, locks between processes, the clock of the store, transactions.
// The mark of a backup, and of a store that went on elsewhere: in the header of the file, which is read first when a store
// is opened.
import type { Database } from './database.ts'
import { StoreProblem } from '../../store-problem.ts'
import type { BackupContent } from '../../../domain/restore.ts'
import { countUsable } from '../../repositories/suspensions.ts'
import { all, only, type Program } from '../../statement-program.ts'

/** The `application_id` of the file: MMBK. A store has none. */
export const BACKUP_MARK = 0x4d_4d_42_4b

/** The application id of a store that was moved: `MMMV` in ASCII. */
const MOVED_MARK = 0x4d_4d_4d_56

export const isMoved = (db: Database): boolean => db.pragma('application_id') === MOVED_MARK

export const movedProblem = (file: string): StoreProblem =>
  new StoreProblem(`${file} was copied into a database, where it goes on: set DATABASE_URL.`)

export const isBackup = (db: Database): boolean => db.pragma('application_id') === BACKUP_MARK

/** A file that is no store, or no longer. */
export const refuseMarked = (db: Database, file: string, { takesMoved = false } = {}): void => {
  if (isBackup(db)) throw new StoreProblem(`${file} is a backup, not a store: run 'mintmark restore ${file}'.`)
  if (isMoved(db) && !takesMoved) throw movedProblem(file)
}

export const markMoved = (db: Database): void => void db.pragma(`application_id = ${MOVED_MARK}`)

const DIGEST = 'sha256'

/** Whether the backup was made with a digest at its end, as every one is since there are digests. */
export const isDigestWanted = (db: Database): boolean =>
  db.prepare("select 1 from pragma_table_info('backup') where name = 'digest'").get() !== undefined

/** Makes the file a backup: one file, of this time. */
export const markBackup = (db: Database, madeAt: number): void => {
  // A copy has the mode of its store, which keeps a second file beside the first.
  db.pragma('journal_mode = delete')
  db.transaction(() => {
    // The column says that the file ends with its digest: where that is cut off, the file is not taken for an older one.
    db.exec('create table backup (made_at integer not null, digest text not null) strict')
    db.prepare('insert into backup values (?, ?)').run(madeAt, DIGEST)
    db.pragma(`application_id = ${BACKUP_MARK}`)
  })
}

/** Makes the file a store again. */
export const unmarkBackup = (db: Database): void => {
  db.transaction(() => {
    db.exec('drop table backup')
    db.pragma('application_id = 0')
  })
}

type Counts = Pick<BackupContent, 'tokens' | 'ended' | 'auditEntries'>

const COUNTS = `select (select count(*) from token) as tokens, (select count(*) from ended) as ended,
  (select count(*) from audit) as "auditEntries"`

/** Counts the content of a backup. `madeAt` is the time of its snapshot. */
export function* readContent(madeAt: number): Program<BackupContent> {
  const keys = yield* all<{ id: string }>('select distinct key_encryption_key_id as id from signing_key')
  const counts = yield* only<Counts>(COUNTS)
  const usable = yield* countUsable({ now: madeAt })
  return { madeAt, keyEncryptionKeyIds: keys.map(({ id }) => id), ...counts, ...usable }
}
