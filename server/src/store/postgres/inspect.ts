// Looks at a store on PostgreSQL for `mintmark doctor`: one connection to the primary, and statements that only read.
import { runner } from './connection/run-program.ts'
import type { DatabaseAccess, DatabaseAddress } from './connection/address.ts'
import { askRow, type Connection, readNow } from './connection/connection.ts'
import { connectToPrimary } from './connection/primary.ts'
import { refusePartial, refuseSearchPath } from './connection/search-path.ts'
import type { StoreInspection } from '../inspection.ts'
import { listOtherMakers, listOtherOrders } from './schema/check-schema.ts'
import { PROGRAM_VERSION, schemaVersionOf } from './schema/migrations.ts'

const INSPECTING = 'mintmark doctor'

const inspect = async (connection: Connection, address: DatabaseAddress): Promise<StoreInspection> => {
  const { server } = await askRow<{ server: string }>(connection, `select current_setting('server_version') as server`)
  const schema = await schemaVersionOf(connection)
  await refuseSearchPath(connection)
  if (schema.version > 0) await refusePartial(connection, address)
  return {
    server: `PostgreSQL ${server}`,
    ...schema,
    programVersion: PROGRAM_VERSION,
    run: program => runner.runProgram(connection, program),
    otherOrders: async () => (schema.version === PROGRAM_VERSION ? listOtherOrders(connection, address) : []),
    otherMakers: () => listOtherMakers(connection),
    now: () => readNow(connection),
    close: connection.close,
  }
}

/** Throws StoreProblem or Unavailable with one line for a person. */
export const inspectPostgresStore = async (access: DatabaseAccess): Promise<StoreInspection> => {
  const connection = await connectToPrimary(access, { name: INSPECTING })
  try {
    return await inspect(connection, access.address)
  } catch (fault) {
    connection.destroy()
    throw fault
  }
}
