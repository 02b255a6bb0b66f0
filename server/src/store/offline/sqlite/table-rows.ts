// The rows of an embedded store as they stand, for a copy of the store.
import type { Database } from '../../sqlite/connection/database.ts'
import { type CopiedRows, pageStatement } from '../copy-tables.ts'
import type { Row, RowSource, RowTarget } from '../../tables.ts'

/** Reads on this connection; a transaction on it sees one moment. */
export const rowsOf = (db: Database): RowSource => ({
  columns: async ({ name }) => {
    const found = db.prepare<{ name: string }>('select name from pragma_table_info(?) order by name').all(name)
    return found.map(column => column.name)
  },
  page: async page => {
    const { text, values } = pageStatement(page)
    return db.prepareArrays<Row>(text).all(...values)
  },
})

/** Writes on this connection; a transaction on it writes all or nothing. */
export const rowsInto = (db: Database): RowTarget => ({
  ...rowsOf(db),
  write: async ({ name }, columns, rows) => {
    const places = columns.map(() => '?').join(', ')
    const insert = db.prepare(`insert into ${name} (${columns.join(', ')}) values (${places})`)
    for (const row of rows) insert.run(...row)
  },
})

export type ExportedStore = Pick<CopiedRows, 'rows' | 'lastGiven'> & {
  /** A fingerprint of the store, which differs after any change. */
  readonly mark: string
}

const MARK = `select json_array((select json_array(seq, ended_seq, last_end_seq, clock_lease, last_at) from service),
  (select count(*) from token), (select count(*) from ended), (select max(n) from audit), (select max(n) from seal),
  (select max(n) from act), (select count(*) from used_proof), (select sum(count) from refused)) as mark`

/** What of a store is copied, as this connection sees it. */
export const readState = (db: Database): ExportedStore => {
  const numbers = db.prepare<{ name: string; seq: number }>('select name, seq from sqlite_sequence').all()
  const mark = db.prepare<{ mark: string }>(MARK).get()?.mark ?? ''
  return { rows: rowsOf(db), mark, lastGiven: new Map(numbers.map(({ name, seq }) => [name, seq])) }
}
