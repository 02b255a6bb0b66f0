// What tests of the PostgreSQL store share: addresses of databases, and the clock of the database.
import type { TestContext } from 'node:test'
import pg from 'pg'
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

/** The text of the prepared statement of this name that this thread asks PostgreSQL for while `work` runs. */
export const preparedText = async (t: TestContext, name: string, work: () => Promise<unknown>): Promise<string> => {
  const { mock } = t.mock.method(pg.Client.prototype, 'query')
  await work()
  mock.restore()
  const asked = mock.calls.map(
    call => call.arguments[0] as unknown as { readonly text: string; readonly name?: string },
  )
  const found = asked.find(one => one.name === name)
  if (found === undefined) throw new Error(`No statement is asked as ${name}.`)
  return found.text
}

/** The lines of the plan that PostgreSQL makes of a statement for any values. */
export const genericPlan = async (connection: Connection, statement: string): Promise<readonly string[]> => {
  let n = 0
  const text = `explain (generic_plan, costs off) ${statement.replaceAll('?', () => `$${++n}`)}`
  const { rows } = await connection.ask({ text })
  return rows.map(row => String((row as Record<string, unknown>)['QUERY PLAN']))
}
