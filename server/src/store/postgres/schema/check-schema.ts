// Refuses a schema that this program cannot run on: of another version, or one that compares text otherwise than by its bytes.
import { SERVICE, TABLES } from '../../tables.ts'
import { StoreProblem } from '../../store-problem.ts'
import type { DatabaseAddress } from '../connection/address.ts'
import type { Connection } from '../connection/connection.ts'
import { PROGRAM_VERSION, refuseVersion, schemaVersionOf } from './migrations.ts'
import { refuseSearchPath } from '../connection/search-path.ts'

const NAMES = [...TABLES, SERVICE].map(({ name }) => name)

// What is no text has no collation: 0.
const OTHERWISE = {
  text: `select c.relname as table, a.attname as column, o.collname as collation
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_collation o on o.oid = a.attcollation
    where c.relnamespace = (select relnamespace from pg_class where oid = 'service'::regclass)
      and c.relname = any($1) and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
      and a.attcollation <> '"C"'::regcollation
    order by 1, 2 limit 1`,
  values: [NAMES],
}

type Column = { readonly table: string; readonly column: string; readonly collation: string }

const refuseOtherOrder = async (connection: Connection, { database }: DatabaseAddress): Promise<void> => {
  const { rows } = await connection.ask(OTHERWISE)
  const [found] = rows as readonly Column[] // as the statement lists it
  if (found === undefined) return
  const { table, column, collation } = found
  throw new StoreProblem(
    `The column ${column} of ${table} in the database ${database} has the collation "${collation}", under which rows are missed: expected "C". Run: alter table ${table} alter ${column} type text collate "C".`,
  )
}

/** What a later version added is for its program to look at. Throws StoreProblem with one line for a person. */
export const checkSchema = async (connection: Connection, address: DatabaseAddress): Promise<void> => {
  const found = await schemaVersionOf(connection)
  refuseVersion(found, address)
  await refuseSearchPath(connection)
  if (found.version === PROGRAM_VERSION) await refuseOtherOrder(connection, address)
}
