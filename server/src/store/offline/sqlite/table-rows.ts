// The rows of an embedded store as they stand, for a copy of the store.
import type { Database } from 'better-sqlite3'
import type { Row, RowSource, RowTarget } from '../tables.ts'

/** Reads on this connection; whoever holds a transaction on it sees one moment. */
export const rowsOf = (db: Database): RowSource => ({
  columns: async ({ name }) => {
    const found = db
      .prepare<[string], { name: string }>('select name from pragma_table_info(?) order by name')
      .all(name)
    return found.map(column => column.name)
  },
  page: async ({ table, columns, after, limit }) => {
    const places = table.key.map(() => '?').join(', ')
    const where = after === null ? '' : `where (${table.key.join(', ')}) > (${places})`
    const text = `select ${columns.join(', ')} from ${table.name} ${where} order by ${table.key.join(', ')} limit ?`
    return db
      .prepare(text)
      .raw()
      .all(...(after ?? []), limit) as readonly Row[]
  },
})

/** Writes on this connection; whoever holds a transaction on it writes all or nothing. */
export const rowsInto = (db: Database): RowTarget => ({
  ...rowsOf(db),
  write: async ({ name }, columns, rows) => {
    const places = columns.map(() => '?').join(', ')
    const insert = db.prepare(`insert into ${name} (${columns.join(', ')}) values (${places})`)
    for (const row of rows) insert.run(...row)
  },
})
