// Databases for test stores: copies of one that was migrated once for each day, whose time is what a test says.
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TIMING } from '../../server/src/ports/timing.ts'
import type { Connection } from '../../server/src/store/postgres/connection/connection.ts'
import { applyMigrations } from '../../server/src/store/postgres/schema/migrations.ts'
import { makePartitions } from '../../server/src/store/postgres/partitions/partitions.ts'
import { type ManualClock, makeManualClock } from '../stores/manual-clock.ts'
import { makeTestDatabase, newDatabase, testCluster, type TestDatabase } from './postgres-cluster.ts'
import { addressOf, withConnection } from './postgres-store.ts'

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

/** One for each day, for its partitions are those of that day, and for each way to make a database. */
const templateOf = (start: number): string => {
  const way = newDatabase().toLowerCase().replaceAll(/\W+/g, '_')
  return `mintmark_${new Date(start).toISOString().slice(0, 10).replaceAll('-', '')}_${way}`.slice(0, 63)
}

const fillTemplate = async (name: string, start: number): Promise<void> => {
  const { clockFolder } = await testCluster()
  const address = await addressOf(name)
  await withConnection(address, async connection => {
    await applyMigrations(connection, { madeBy: 'migrate', now: start, timing: TIMING })
    await makePartitions(connection, start)
    await connection.ask({ text: clockFunction(clockFolder) })
  })
}

const makeTemplate = async (connection: Connection, name: string, start: number): Promise<void> => {
  await connection.ask({ text: 'select pg_advisory_lock($1)', values: [TEMPLATE_LOCK] })
  const { rows } = await connection.ask({
    text: 'select datallowconn from pg_database where datname = $1',
    values: [name],
  })
  if (rows.length > 0) return
  await connection.ask({ text: `create database ${name} ${newDatabase()}` })
  await fillTemplate(name, start)
}

const templates = new Map<string, Promise<void>>()

export type TestStoreDatabase = TestDatabase & { readonly clock: ManualClock }

/** A migrated database at the time `start`, and the clock that it follows. */
export const makeStoreDatabase = async (start: number): Promise<TestStoreDatabase> => {
  const name = templateOf(start)
  const made =
    templates.get(name) ??
    addressOf('postgres').then(address => withConnection(address, connection => makeTemplate(connection, name, start)))
  templates.set(name, made)
  await made
  const database = await makeTestDatabase(`template ${name} strategy file_copy`)
  const { clockFolder } = await testCluster()
  return { ...database, clock: followedClock(join(clockFolder, database.name), start) }
}
