// The log of what changes in a store while it is copied into another one: triggers write the key of every row that is made,
// changed or removed, so that no program that writes to the store, yesterday's included, can leave one out.
import { randomUUID } from 'node:crypto'
import type { Database } from '../../sqlite/connection/database.ts'
import { TABLES, type Table } from '../../tables.ts'
import { schemaVersionOf } from '../../sqlite/schema/migrations.ts'

/** The columns of a changed row's key: as many as the longest key has. */
export const KEY_COLUMNS = ['a', 'b', 'c'] as const

// Without autoincrement: rows are only added, and `sqlite_sequence` would be written for each.
const TABLES_OF_LOG = `
create table moving (
  one integer primary key check (one = 1), id text not null, version integer not null
) strict;
create table moving_change (n integer primary key, name text not null, a any not null, b any, c any) strict;
`

const EVENTS = ['insert', 'update', 'delete'] as const

/** No key is ever changed: of a row that is, the one before and the one after are the same. */
const triggerOf = ({ name, key }: Table, event: (typeof EVENTS)[number]): string => {
  const row = event === 'delete' ? 'old' : 'new'
  const places = KEY_COLUMNS.slice(0, key.length).join(', ')
  const values = key.map(column => `${row}.${column}`).join(', ')
  return `create trigger moving_${name}_${event} after ${event} on ${name} begin
    insert into moving_change (name, ${places}) values ('${name}', ${values}); end`
}

const TRIGGERS = `select name from sqlite_schema where type = 'trigger' and name like 'moving\\_%' escape '\\'`
const HAS_LOG = `select 1 as found from sqlite_schema where type = 'table' and name = 'moving'`

const triggersIn = (db: Database): readonly string[] =>
  db
    .prepare<{ name: string }>(TRIGGERS)
    .all()
    .map(({ name }) => name)

/** The id of the move that the log is of; undefined where there is none, or where it may have missed something. */
export const idOfLog = (db: Database): string | undefined => {
  if (db.prepare(HAS_LOG).get() === undefined) return undefined
  const log = db.prepare<{ id: string; version: number }>('select id, version from moving').get()
  // A migration may make a table anew, and its triggers are gone until the last of them is made again.
  const isWhole =
    triggersIn(db).length === TABLES.length * EVENTS.length && log?.version === schemaVersionOf(db).version
  return isWhole ? log.id : undefined
}

/** Inside a transaction. Whether there was one. */
export const dropLog = (db: Database): boolean => {
  if (db.prepare(HAS_LOG).get() === undefined) return false
  for (const name of triggersIn(db)) db.exec(`drop trigger ${name}`)
  db.exec('drop table moving_change; drop table moving')
  return true
}

/** Inside a transaction: goes on with the log that is there, or begins another. Returns the id of the move. */
export const keepLog = (db: Database): string => {
  const known = idOfLog(db)
  if (known !== undefined) return known
  dropLog(db)
  db.exec(TABLES_OF_LOG)
  for (const table of TABLES) for (const event of EVENTS) db.exec(triggerOf(table, event))
  const id = randomUUID()
  db.prepare('insert into moving values (1, ?, ?)').run(id, schemaVersionOf(db).version)
  return id
}
