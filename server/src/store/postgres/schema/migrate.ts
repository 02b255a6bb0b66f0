// Makes the store of an empty database, or brings an older one up to date.
import type { DatabaseAddress } from '../connection/address.ts'
import { MIGRATING } from '../connection/connection.ts'
import { runner } from '../connection/run-program.ts'
import { applyMigrations, type FirstRow } from './migrations.ts'
import { makePartitions } from '../partitions/partitions.ts'
import { connectUnhurried } from '../connection/primary.ts'
import { withConnection } from '../connection/with-connection.ts'

type Options = FirstRow & { readonly address: DatabaseAddress }

/** All or nothing; of two that do it at once one waits for the other. Throws StoreProblem with one line for a person. */
export const migratePostgresStore = ({ address, ...first }: Options) =>
  withConnection(connectUnhurried(address, MIGRATING), async connection => {
    const versions = await applyMigrations(connection, first)
    const { rows } = await runner.ask(connection, 'select mintmark_now() as now')
    await makePartitions(connection, (rows[0] as { now: number }).now)
    return versions
  })
