// Many rows with one statement: a list of values for each column. Which columns those are, and their types, is read from the schema.
import { Buffer } from 'node:buffer'
import type { Row, Table } from '../../tables.ts'
import type { Value } from '../../statement-program.ts'
import type { Answered, Connection } from '../../postgres/connection/connection.ts'
import { runner } from '../../postgres/connection/run-program.ts'

/** The type of each column of a table. */
type ColumnTypes = ReadonlyMap<string, string>

// By the name in the catalog: how a type is written out is a setting (quote_all_identifiers).
const TYPES = `select attname as name, typname as type from pg_attribute join pg_type t on t.oid = atttypid
  where attrelid = ?::regclass and attnum > 0 and not attisdropped`

/** The types of each table, each asked for once. */
const makeTypes = (connection: Connection) => {
  const known = new Map<string, ColumnTypes>()
  return async ({ name }: Table): Promise<ColumnTypes> => {
    const found = known.get(name)
    if (found !== undefined) return found
    const { rows } = await runner.ask(connection, TYPES, name)
    const types = new Map((rows as readonly { name: string; type: string }[]).map(row => [row.name, row.type]))
    known.set(name, types)
    return types
  }
}

// In a list a uuid stands as its text; alone it is sent as its bytes.
const inList = (type: string, value: Row[number]): unknown =>
  type === 'uuid' && value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value

export const bulkOn = (connection: Connection) => {
  const typesOf = makeTypes(connection)
  /** A table of values for `from`, with a place for each column, and what fills the places. */
  const listed = async (table: Table, columns: readonly string[], rows: readonly Row[]) => {
    const known = await typesOf(table)
    const types = columns.map(column => known.get(column) ?? 'text')
    return {
      text: `unnest(${types.map(type => `?::${type}[]`).join(', ')}) as given (${columns.join(', ')})`,
      values: types.map((type, n) => rows.map(row => inList(type, row[n] ?? null))),
    }
  }
  return {
    /** Returns the columns in the order of their names. */
    columns: async (table: Table): Promise<readonly string[]> => [...(await typesOf(table)).keys()].toSorted(),
    listed,
    /** Inserts rows with their own numbers; `conflict` says what becomes of those that exist. */
    insert: async (table: Table, columns: readonly string[], rows: readonly Row[], conflict: string): Promise<void> => {
      const { text, values } = await listed(table, columns, rows)
      const names = columns.join(', ')
      const insert = `insert into ${table.name} (${names}) overriding system value select ${names} from ${text}`
      await runner.ask(connection, `${insert} ${conflict}`, ...values)
    },
  }
}

/** The rows of an answer, each in the order of the columns. */
export const rowsOfAnswer = ({ rows }: Answered, columns: readonly string[]): readonly Row[] =>
  rows.map(row => columns.map(name => (row as Readonly<Record<string, Value>>)[name] ?? null))
