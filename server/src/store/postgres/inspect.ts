// Looks at a store on PostgreSQL for `mintmark doctor`: one connection to the primary, and statements that only read.
import { runner } from './connection/run-program.ts'
import type { DatabaseAccess, DatabaseAddress } from './connection/address.ts'
import type { Connection } from './connection/connection.ts'
import { connectToPrimary } from './connection/primary.ts'
import { refuseSearchPath } from './connection/search-path.ts'
import type { StoreInspection } from '../inspection.ts'
import { StoreProblem } from '../store-problem.ts'
import { listOtherMakers, listOtherOrders } from './schema/check-schema.ts'
import { PROGRAM_VERSION, schemaVersionOf } from './schema/migrations.ts'

const INSPECTING = 'mintmark doctor'

const askOne = async <Row>(connection: Connection, text: string): Promise<Row> => {
  const { rows } = await connection.ask({ text })
  return rows[0] as Row // as the statement lists it
}

const COPY = `select to_regclass('copying') is not null as "isCopy"`

/** A store that is being copied into the database gets its row of `service` last. */
const refusePartial = async (connection: Connection, { database }: DatabaseAddress): Promise<void> => {
  const { isCopy } = await askOne<{ isCopy: boolean }>(connection, COPY)
  if (!isCopy) return
  throw new StoreProblem(
    `The database ${database} holds a part of a store that is being copied into it: run 'mintmark migrate-store --finish', or the restore that was broken off.`,
  )
}

const inspect = async (connection: Connection, address: DatabaseAddress): Promise<StoreInspection> => {
  const { version: server } = await askOne<{ version: string }>(
    connection,
    `select current_setting('server_version') as version`,
  )
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
    now: async () => (await askOne<{ now: number }>(connection, 'select mintmark_now() as now')).now,
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
