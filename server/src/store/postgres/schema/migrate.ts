// Makes the store of an empty database, or brings an older one up to date.
import type { DatabaseAccess } from '../connection/address.ts'
import { MIGRATING, readNow } from '../connection/connection.ts'
import { applyMigrations, type FirstRow, type MigrationTiming } from './migrations.ts'
import { makePartitions } from '../partitions/partitions.ts'
import { connectUnhurried } from '../connection/primary.ts'
import { withConnection } from '../connection/with-connection.ts'

/** All or nothing; of two that do it at once one waits for the other. Throws StoreProblem with one line for a person. */
export const migratePostgresStore = (options: FirstRow & DatabaseAccess & { readonly timing: MigrationTiming }) =>
  withConnection(connectUnhurried(options, { name: MIGRATING }), async connection => {
    const { madeBy, now, timing } = options
    const versions = await applyMigrations(connection, { madeBy, now, timing })
    await makePartitions(connection, await readNow(connection))
    return versions
  })
