// Refuses a schema that this program cannot run on: of another version, or one that compares text otherwise than by its bytes.
import { SERVICE, TABLES } from '../../tables.ts'
import { StoreProblem } from '../../store-problem.ts'
import type { FoundInStore } from '../../inspection.ts'
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
    order by 1, 2`,
  values: [NAMES],
}

/** Each column that compares text otherwise than by its bytes, in a sentence for a person, and what to do. */
export const listOtherOrders = async (
  connection: Connection,
  { database }: DatabaseAddress,
): Promise<readonly FoundInStore[]> => {
  const { rows } = await connection.ask(OTHERWISE)
  return (rows as readonly Record<'table' | 'column' | 'collation', string>[]).map(({ table, column, collation }) => ({
    what: `The column ${column} of ${table} in the database ${database} has the collation "${collation}", under which rows are missed: expected "C".`,
    remedy: `Run: alter table ${table} alter ${column} type text collate "C".`,
  }))
}

// Also of a database made before PostgreSQL 15, where everybody may. No list of privileges: the owner alone may.
const OTHER_MAKERS = `select quote_ident(n.nspname) as schema, coalesce(quote_ident(r.rolname), 'public') as role
  from pg_namespace n cross join aclexplode(n.nspacl) a left join pg_roles r on r.oid = a.grantee
  where n.nspname = current_schema() and a.privilege_type = 'CREATE' and a.grantee <> n.nspowner
    and r.rolname is distinct from current_user
  order by 2`

/** Who else may make functions where statements of the service look for them: it would run them with its own privileges. */
export const listOtherMakers = async (connection: Connection): Promise<readonly FoundInStore[]> => {
  const { rows } = await connection.ask({ text: OTHER_MAKERS })
  return (rows as readonly Record<'schema' | 'role', string>[]).map(({ schema, role }) => ({
    what: `${role === 'public' ? 'Every role' : `The role ${role}`} may make functions in the schema ${schema} of the store, and the service could be led to run them with its own privileges.`,
    remedy: `Run: revoke create on schema ${schema} from ${role}.`,
  }))
}

const refuseOtherOrder = async (connection: Connection, address: DatabaseAddress): Promise<void> => {
  const [found] = await listOtherOrders(connection, address)
  if (found !== undefined) throw new StoreProblem(`${found.what} ${found.remedy}`)
}

/** What a later version added is for its program to look at. Throws StoreProblem with one line for a person. */
export const checkSchema = async (connection: Connection, address: DatabaseAddress): Promise<void> => {
  const found = await schemaVersionOf(connection)
  refuseVersion(found, address)
  await refuseSearchPath(connection)
  if (found.version === PROGRAM_VERSION) await refuseOtherOrder(connection, address)
}
