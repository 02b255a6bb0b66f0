// What of an embedded store is given to another one.
import type { Database } from 'better-sqlite3'
import type { RowSource } from '../tables.ts'
import { rowsOf } from './table-rows.ts'

export type ExportedStore = {
  readonly rows: RowSource
  /** Another one after any change. */
  readonly mark: string
  readonly lastGiven: ReadonlyMap<string, number>
}

const MARK = `select json_array((select json_array(seq, ended_seq, last_end_seq, clock_lease, last_at) from service),
  (select count(*) from token), (select count(*) from ended), (select max(n) from audit), (select max(n) from seal),
  (select max(n) from act), (select count(*) from used_proof), (select sum(count) from refused)) as mark`

/** What of a store is copied, as this connection sees it. */
export const lookAt = (db: Database): ExportedStore => {
  const numbers = db.prepare<[], { name: string; seq: number }>('select name, seq from sqlite_sequence').all()
  const mark = db.prepare<[], { mark: string }>(MARK).get()?.mark ?? ''
  return { rows: rowsOf(db), mark, lastGiven: new Map(numbers.map(({ name, seq }) => [name, seq])) }
}
