// What tests of the PostgreSQL store share: addresses of databases, and the clock of the database.
import { TIMING } from '../../server/src/ports/timing.ts'
import type { DatabaseAddress } from '../../server/src/store/postgres/connection/address.ts'
import type { Connection } from '../../server/src/store/postgres/connection/connection.ts'
import { connectPatiently } from '../../server/src/store/postgres/connection/primary.ts'
import { withConnection as withThatConnection } from '../../server/src/store/postgres/connection/with-connection.ts'
import { testCluster } from './postgres-cluster.ts'

let through: Partial<DatabaseAddress> = {}

/** Makes this process open stores in this way from now on. */
export const openStoresThrough = (way: Partial<DatabaseAddress>): void => {
  through = way
}

/** How stores are opened. */
export const wayToStores = (): Partial<DatabaseAddress> => through

/** A database of the tests' cluster, which does without fsync. */
export const addressOf = async (database: string, more: Partial<DatabaseAddress> = {}): Promise<DatabaseAddress> => {
  const { socketFolder, port } = await testCluster()
  return {
    hosts: [{ host: socketFolder, port }],
    database,
    user: 'mintmark',
    password: null,
    tls: null,
    allowed: ['fsync', 'full_page_writes'],
    pooling: 'session',
    fencedReads: 'auto',
    ...more,
  }
}

/** Runs `work` on a connection to the primary. */
export const withConnection = <T>(address: DatabaseAddress, work: (connection: Connection) => Promise<T>): Promise<T> =>
  withThatConnection(connectPatiently({ address, timing: TIMING }), work)
