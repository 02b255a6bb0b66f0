// Refuses a session that would make tables elsewhere than where those of the store are, and a database that is no store yet.
import { StoreProblem } from '../../store-problem.ts'
import type { DatabaseAddress } from './address.ts'
import { askRow, type Connection } from './connection.ts'

// `ended_minute`: of our tables the one that other programs hardly have.
const SCHEMAS = `select current_schema() as first, (
    select n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relname = 'ended_minute' and n.nspname = any(current_schemas(false))
    order by array_position(current_schemas(false), n.nspname) limit 1
  ) as ours`

/** `ours` is null where there is no store yet. */
type Schemas = { readonly first: string | null; readonly ours: string | null }

/** Throws StoreProblem with one line for a person. */
export const refuseSearchPath = async (connection: Connection): Promise<void> => {
  const { first, ours } = await askRow<Schemas>(connection, SCHEMAS)
  if (first === null) {
    throw new StoreProblem(
      'The search_path of the role names no schema in which it could make tables: expected one that is there. Run: alter role … set search_path = public.',
    )
  }
  if (ours === null || ours === first) return
  throw new StoreProblem(
    `The tables of the store are in the schema ${ours}, and search_path begins with ${first}: partitions would be made there. Run: alter role … set search_path = ${ours}.`,
  )
}

/** Whether a copy of a store into the database was begun: it gets its row of `service` last. */
export const isCopyThere = async (connection: Connection): Promise<boolean> =>
  (await askRow<{ isCopy: boolean }>(connection, `select to_regclass('copying') is not null as "isCopy"`)).isCopy

/** Throws StoreProblem with one line for a person. */
export const refusePartial = async (connection: Connection, { database }: DatabaseAddress): Promise<void> => {
  if (!(await isCopyThere(connection))) return
  throw new StoreProblem(
    `The database ${database} holds a part of a store that is being copied into it: run 'mintmark migrate-store --finish', or the restore that was broken off.`,
  )
}
