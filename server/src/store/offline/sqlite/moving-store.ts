// The embedded store as the source of a move: read while it is served, with a log of what changes; then locked, and
// marked so that nobody serves it again.
import type { Database } from '../../sqlite/connection/database.ts'
import { type ChangedKeys, HISTORY_TABLES, type MoveSource, REPOSITORY_TABLES, textOf } from '../moving.ts'
import { type Row, TABLES, type Table } from '../../tables.ts'
import { monotonicMs } from '../../clocks.ts'
import { StoreProblem } from '../../store-problem.ts'
import { isMoved, markMoved, movedProblem } from '../../sqlite/connection/backup-mark.ts'
import type { StoreFile } from './act-alone.ts'
import { closing } from './closing.ts'
import { dropLog, idOfLog, keepLog, KEY_COLUMNS } from './change-log.ts'
import { clockOf, startClock } from '../../sqlite/connection/clock.ts'
import { openForMove } from '../../sqlite/connection/connection.ts'
import { refuseBesideService, takeMovingLock, takeServingLock } from '../../sqlite/connection/serving-lock.ts'
import { readState, rowsOf } from './table-rows.ts'
import { begin, type OfflineTiming, writingConnection } from '../../sqlite/connection/transaction.ts'

const CHANGES_AT_ONCE = 2000

type Change = { readonly n: number; readonly name: string } & Readonly<
  Record<(typeof KEY_COLUMNS)[number], Row[number]>
>

const keyOf = ({ key }: Table, change: Change): Row => KEY_COLUMNS.slice(0, key.length).map(column => change[column])

/** Groups the changed keys by table, in the order of the tables, each key once. */
const byTable = (changes: readonly Change[]): readonly ChangedKeys[] => {
  const changed = Map.groupBy(changes, ({ name }) => name)
  return TABLES.flatMap(table => {
    const keys = (changed.get(table.name) ?? []).map(change => keyOf(table, change))
    return keys.length === 0 ? [] : [{ table, keys: [...new Map(keys.map(key => [textOf(key), key])).values()] }]
  })
}

const namesOf = (tables: readonly Table[]): string => tables.map(({ name }) => `'${name}'`).join(', ')

const LAST = 'select coalesce(max(n), 0) as n from moving_change'
const REPOSITORIES = `select distinct 0 as n, name, ${KEY_COLUMNS.join(', ')} from moving_change
  where n > ? and n <= ? and name in (${namesOf(REPOSITORY_TABLES)})`
const HISTORY = `select n, name, ${KEY_COLUMNS.join(', ')} from moving_change
  where n > ? and n <= ? and name in (${namesOf(HISTORY_TABLES)}) order by n limit ${CHANGES_AT_ONCE}`

const inSnapshot = async <T>(db: Database, work: () => Promise<T>): Promise<T> => {
  // The owner of the lock has a transaction already.
  if (db.inTransaction()) return work()
  db.exec('begin')
  try {
    return await work()
  } finally {
    db.exec('commit')
  }
}

const rowsAt = (db: Database, table: Table, columns: readonly string[], keys: readonly Row[]): readonly Row[] => {
  const where = table.key.map(column => `${column} = ?`).join(' and ')
  const statement = db.prepareArrays<Row>(`select ${columns.join(', ')} from ${table.name} where ${where}`)
  return keys.flatMap(key => {
    const row = statement.get(...key)
    return row === undefined ? [] : [row]
  })
}

const sourceOf = (db: Database, id: string): MoveSource => ({
  ...rowsOf(db),
  id,
  inSnapshot: work => inSnapshot(db, work),
  count: ({ name }) => db.prepare<{ count: number }>(`select count(*) as count from ${name}`).get()?.count ?? 0,
  lastChange: () => db.prepare<{ n: number }>(LAST).get()?.n ?? 0,
  changedRepositories: ({ after, to }) => byTable(db.prepare<Change>(REPOSITORIES).all(after, to)),
  changedHistory: ({ after, to }) => {
    const changes = db.prepare<Change>(HISTORY).all(after, to)
    const last = changes.at(-1)
    return last === undefined ? undefined : { last: last.n, changed: byTable(changes) }
  },
  rowsAt: (table, columns, keys) => rowsAt(db, table, columns, keys),
  lastGiven: () => readState(db).lastGiven,
})

const beginWriting = (db: Database, timing: OfflineTiming): void =>
  begin(writingConnection(db, clockOf(startClock(0, null)), { timing }), monotonicMs() + timing.sqliteLockMs)

/** Runs `work` on a connection to the file; one move of it at a time. */
const withFile = async <T>({ file, timing }: StoreFile, work: (db: Database) => Promise<T>): Promise<T> => {
  refuseBesideService(file)
  using atEnd = new DisposableStack()
  const db = atEnd.use(closing(openForMove(file, timing)))
  atEnd.defer(takeMovingLock(file))
  return await work(db)
}

const beginLog = (db: Database, timing: OfflineTiming): string => {
  beginWriting(db, timing)
  const id = keepLog(db)
  db.exec('commit')
  return id
}

/** Returns the rows of a store that others serve meanwhile, and from now on a log of those that change. */
export const exportOnline = <T>(moving: StoreFile, work: (source: MoveSource) => Promise<T>): Promise<T> =>
  withFile(moving, async db => {
    if (isMoved(db)) throw movedProblem(moving.file)
    return work(sourceOf(db, beginLog(db, moving.timing)))
  })

/** Locks the store during `last`, and then marks the file: nobody serves it ever after, and that is durable. */
export type WithStoreLocked = <T>(last: () => Promise<T>) => Promise<T>

const storeLockOf =
  (db: Database, id: string, { file, timing }: StoreFile): WithStoreLocked =>
  async last => {
    beginWriting(db, timing)
    if (idOfLog(db) !== id)
      throw new StoreProblem(`The log of ${file} is not whole any more: begin with an empty database.`)
    const done = await last()
    markMoved(db)
    db.exec('commit')
    return done
  }

/** Returns a store that nobody serves meanwhile. `lock` is null where the file was marked before: it is still as it was then. */
export const exportOffline = <T>(
  moving: StoreFile,
  work: (source: MoveSource, lock: WithStoreLocked | null) => Promise<T>,
): Promise<T> =>
  withFile(moving, async db => {
    const { file, timing } = moving
    if (isMoved(db)) {
      const id = idOfLog(db)
      if (id === undefined) throw movedProblem(file)
      return work(sourceOf(db, id), null)
    }
    using unlocking = new DisposableStack()
    unlocking.defer(takeServingLock(file))
    const id = beginLog(db, timing)
    return await work(sourceOf(db, id), storeLockOf(db, id, moving))
  })

/** Ends the log of a store that is not moved after all. Whether there was one. */
export const forgetMove = (moving: StoreFile): Promise<boolean> =>
  withFile(moving, async db => {
    if (isMoved(db)) throw movedProblem(moving.file)
    beginWriting(db, moving.timing)
    const was = dropLog(db)
    db.exec('commit')
    return was
  })
