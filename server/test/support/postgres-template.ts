// Databases for test stores: copies of one that was migrated once, whose time is what a test says.
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Connection } from '../../src/store/postgres/connection.ts'
import { applyMigrations } from '../../src/store/postgres/migrations.ts'
import { makePartitions } from '../../src/store/postgres/partitions.ts'
import { type ManualClock, makeManualClock } from '../../src/store/sqlite/clock.ts'
import { makeTestDatabase, testCluster, type TestDatabase } from './postgres-cluster.ts'
import { addressOf, withConnection } from './postgres-store.ts'

const TEMPLATE = 'mintmark_template'
const TEMPLATE_LOCK = 77

// The database reads its time from a file with its own name, so that a test sets it at once, whatever it is doing.
const clockFunction = (folder: string): string =>
  `create or replace function mintmark_now() returns bigint language sql volatile
    return pg_read_file('${folder}/' || current_database())::bigint`

const writeTime = (file: string, now: number): void => {
  writeFileSync(`${file}.new`, String(now))
  renameSync(`${file}.new`, file)
}

/** A clock that the test sets, and that the database follows. */
const followedClock = (file: string, start: number): ManualClock => {
  const clock = makeManualClock(start)
  const write = (): void => writeTime(file, clock.wall())
  write()
  return {
    ...clock,
    advance: ms => {
      clock.advance(ms)
      write()
    },
    stepWall: ms => {
      clock.stepWall(ms)
      write()
    },
  }
}

const fillTemplate = async (start: number): Promise<void> => {
  const { clockFolder } = await testCluster()
  const address = await addressOf(TEMPLATE)
  await withConnection(address, async connection => {
    await applyMigrations(connection, { madeBy: 'migrate', now: start })
    await makePartitions(connection, start)
    await connection.ask({ text: clockFunction(clockFolder) })
  })
}

const makeTemplate = async (connection: Connection, start: number): Promise<void> => {
  await connection.ask({ text: 'select pg_advisory_lock($1)', values: [TEMPLATE_LOCK] })
  const { rows } = await connection.ask({
    text: 'select datallowconn from pg_database where datname = $1',
    values: [TEMPLATE],
  })
  if (rows.length > 0) return
  await connection.ask({ text: `create database ${TEMPLATE} template template0 strategy wal_log` })
  await fillTemplate(start)
}

let template: Promise<void> | undefined

export type TestStoreDatabase = TestDatabase & { readonly clock: ManualClock }

/** A migrated database at the time `start`, and the clock that it follows. */
export const makeStoreDatabase = async (start: number): Promise<TestStoreDatabase> => {
  template ??= addressOf('postgres').then(address =>
    withConnection(address, connection => makeTemplate(connection, start)),
  )
  await template
  const database = await makeTestDatabase(TEMPLATE)
  const { clockFolder } = await testCluster()
  return { ...database, clock: followedClock(join(clockFolder, database.name), start) }
}
