// Holds an embedded store still while another one becomes what it is, and then lets nobody serve it any more.
import type { Database } from 'better-sqlite3'
import type { RowSource } from '../copy/tables.ts'
import { monotonicMs } from '../monotonic.ts'
import { markMoved } from './backup-mark.ts'
import { clockOf, startClock } from './clock.ts'
import { openForWriting, refuseForeignUser } from './connection.ts'
import { takeServingLock } from './serving-lock.ts'
import { rowsOf } from './table-rows.ts'
import { begin, writingConnection } from './transaction.ts'

const BUSY_MS = 10_000

export type GivenStore = {
  readonly rows: RowSource
  /** Another one after any change. */
  readonly mark: string
  readonly lastGiven: ReadonlyMap<string, number>
}

const MARK = `select json_array((select json_array(seq, ended_seq, last_end_seq, clock_lease, last_at) from service),
  (select count(*) from token), (select count(*) from ended), (select max(n) from audit), (select max(n) from seal),
  (select max(n) from act), (select count(*) from used_proof), (select sum(count) from refused)) as mark`

/** What of a store is copied, as this connection sees it. */
export const lookAt = (db: Database): GivenStore => {
  const numbers = db.prepare<[], { name: string; seq: number }>('select name, seq from sqlite_sequence').all()
  const mark = db.prepare<[], { mark: string }>(MARK).get()?.mark ?? ''
  return { rows: rowsOf(db), mark, lastGiven: new Map(numbers.map(({ name, seq }) => [name, seq])) }
}

/** Nobody serves or changes the store during `work`; where it succeeds, nobody does ever after. */
export const giveStore = async <T>(file: string, work: (store: GivenStore) => Promise<T>): Promise<T> => {
  refuseForeignUser(file)
  const unlock = takeServingLock(file)
  const db = openForWriting(file)
  try {
    begin(writingConnection(db, clockOf(startClock(0, null))), monotonicMs() + BUSY_MS)
    const done = await work(lookAt(db))
    markMoved(db)
    db.exec('commit')
    return done
  } finally {
    db.close()
    unlock()
  }
}
