// Makes the store of an empty database, or brings an older one up to date.
import type { DatabaseAddress } from './address.ts'
import { driver } from './drive.ts'
import { applyMigrations, type FirstRow } from './migrations.ts'
import { makePartitions } from './partitions.ts'
import { connectUnhurried } from './primary.ts'

type Options = FirstRow & { readonly address: DatabaseAddress }

/** All or nothing; of two that do it at once one waits for the other. Throws StoreProblem with one line for a person. */
export const migratePostgresStore = async ({ address, ...first }: Options) => {
  const connection = await connectUnhurried(address)
  try {
    const versions = await applyMigrations(connection, first)
    const { rows } = await driver.ask(connection, 'select mintmark_now() as now')
    await makePartitions(connection, (rows[0] as { now: number }).now)
    return versions
  } finally {
    await connection.close()
  }
}
