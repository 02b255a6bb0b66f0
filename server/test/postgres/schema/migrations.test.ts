// The schema of a database: made once, brought forward whole or not at all, by one process at a time, and refused where it
// does not fit.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { TIMING } from '../../../src/ports/timing.ts'
import { migratePostgresStore } from '../../../src/store/postgres/schema/migrate.ts'
import {
  applyMigrations,
  type Migration,
  MIGRATIONS,
  PROGRAM_VERSION,
  schemaVersionOf,
} from '../../../src/store/postgres/schema/migrations.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { makePartitionFor } from '../../../src/store/postgres/partitions/partitions.ts'
import { StoreProblem } from '../../../src/store/store-problem.ts'
import { makeTestDatabase } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf, withConnection } from '../../../../testkit/databases/postgres-store.ts'
import {
  act,
  createAgent,
  issue,
  NO_HISTORY_FILTERS,
  NO_TOKEN_FILTERS,
  someSigningKey,
  START,
} from '../../../../testkit/stores/store.ts'
import { countRows, readRows, withFile } from '../../../../testkit/stores/store-file.ts'

const MIGRATION_LOCK = 4_937_001

process.env['MINTMARK_TEST_STORE'] = 'postgres'

const DAY_MS = 86_400_000
const FIRST = { madeBy: 'migrate', now: START } as const

const makeWorld = async (t: TestContext) => {
  const { url, name, drop } = await makeTestDatabase()
  t.after(drop)
  const address = await addressOf(name)
  return {
    url,
    address,
    migrate: (madeBy: 'dev' | 'migrate' = 'migrate') =>
      migratePostgresStore({ address, timing: TIMING, madeBy, now: START }),
    apply: (migrations: readonly Migration[]) =>
      withConnection(address, connection => applyMigrations(connection, { ...FIRST, timing: TIMING, migrations })),
    open: () => openPostgresStore({ address, timing: TIMING, retention: null }),
  }
}

const DONE: readonly Migration[] = MIGRATIONS.map(() => ({ name: 'earlier', sql: 'fail', oldestProgram: 1 }))

const problem = (pattern: RegExp) => (fault: unknown) =>
  fault instanceof StoreProblem && !fault.message.includes('\n') && pattern.test(fault.message)

const COLUMNS = `select table_name, column_name, data_type, column_default from information_schema.columns
  where table_schema = 'public' order by table_name, column_name`

const contentOf = (url: string): unknown => [
  readRows(url, COLUMNS),
  readRows(url, 'select * from migration order by version'),
  readRows(url, 'select made_by, seq, clock_lease from service'),
]

const versionsOf = (url: string): readonly unknown[] =>
  readRows(url, 'select version from migration order by version').map(row => row['version'])

test('migrating makes a store that opens, and a second run changes nothing, whatever version made it', async t => {
  const { url, migrate, open } = await makeWorld(t)
  assert.deepEqual(await migrate('dev'), { from: 0, to: PROGRAM_VERSION })
  const before = contentOf(url)
  assert.deepEqual(await migrate(), { from: PROGRAM_VERSION, to: PROGRAM_VERSION })
  assert.deepEqual(contentOf(url), before)
  const store = await open()
  assert.deepEqual([store.madeBy, await store.health.check()], ['dev', null])
  await store.close()
})

test('of ten that migrate an empty database at once one makes the store, and all others find it made', async t => {
  const { url, migrate } = await makeWorld(t)
  const made = await Promise.all(Array.from({ length: 10 }, () => migrate()))
  assert.deepEqual(
    made.map(({ from }) => from).toSorted((a, b) => a - b),
    [0, ...Array.from({ length: 9 }, () => PROGRAM_VERSION)],
  )
  assert.deepEqual(
    versionsOf(url),
    MIGRATIONS.map((_, n) => n + 1),
  )
  assert.equal(countRows(url, 'service'), 1)
})

test('a migration waits for one that runs already, and then finds it done', async t => {
  const { url, address, migrate, apply } = await makeWorld(t)
  await migrate()
  const later = [...DONE, { name: 'a column', sql: 'alter table agent add column extra text', oldestProgram: 1 }]
  const waits = () => countRows(url, `pg_locks where locktype = 'advisory' and not granted`) > 0
  const second = await withConnection(address, async first => {
    await first.ask({ text: 'begin' })
    await first.ask({ text: 'select pg_advisory_xact_lock($1)', values: [MIGRATION_LOCK] })
    const waiting = apply(later)
    while (!waits()) await new Promise(setImmediate)
    assert.deepEqual(
      versionsOf(url),
      MIGRATIONS.map((_, n) => n + 1),
    )
    await first.ask({ text: 'commit' })
    return waiting
  })
  assert.deepEqual(second, { from: PROGRAM_VERSION, to: PROGRAM_VERSION + 1 })
  assert.deepEqual(await apply(later), { from: PROGRAM_VERSION + 1, to: PROGRAM_VERSION + 1 })
})

/** What a later version may add while this program still runs: columns with a default, tables, indexes. */
const TOMORROW = `
  alter table agent add column extra text not null default 'new';
  alter table credential add column extra bigint;
  alter table token add column extra integer;
  alter table ended add column extra integer not null default 0;
  alter table service add column extra bigint not null default 0;
  create table later (n bigint primary key);
  create index token_later on token (key, life, id)`

test('this program runs on the schema of a later one that allows it: issues, looks up, ends, lists and is served', async t => {
  const { migrate, apply, open, address } = await makeWorld(t)
  await migrate()
  const before = await open()
  await before.signingKeys.createFirst(someSigningKey(), act('signing_key.create'))
  const agent = await createAgent(before)
  const [old] = await issue(before, agent, {})
  assert.ok(old)
  // While one of this version is in work, as in a rolling upgrade.
  await apply([...DONE, { name: 'tomorrow', sql: TOMORROW, oldestProgram: PROGRAM_VERSION }])
  const after = await open()
  for (const store of [before, after]) {
    const [token, scarce] = await issue(store, agent, {}, { scope: 'db:new', lifetimeSeconds: 77 })
    assert.ok(token && scarce)
    assert.deepEqual(
      (await store.ledger.find([token, scarce])).map(found => found?.dead),
      [false, false],
    )
    assert.equal(await store.ledger.end(token, 'manual_revocation', act('token.revoke')), 'ended')
    await createAgent(store)
  }
  assert.equal((await after.ledger.find([old]))[0]?.dead, false)
  const page = { audiences: null, after: null, limit: 10 }
  assert.equal((await before.ledger.listLive({ ...page, filters: NO_TOKEN_FILTERS })).records.length, 3)
  assert.equal((await after.ledger.listEnded({ ...page, filters: NO_HISTORY_FILTERS })).records.length, 2)
  await after.agents.disable(agent.id, act('agent.disable'))
  assert.deepEqual(await before.ledger.find([old]), [undefined])
  await Promise.all([before.close(), after.close()])
  // A partition that this program makes has the form that the other gave the table.
  await withConnection(address, connection => makePartitionFor(connection, 'token', START + 400 * DAY_MS))
  assert.deepEqual(await withConnection(address, schemaVersionOf), {
    version: PROGRAM_VERSION + 1,
    oldestProgram: PROGRAM_VERSION,
  })
})

test('a migration that fails leaves the database as it was, those before it included', async t => {
  const { url, migrate, apply } = await makeWorld(t)
  await migrate()
  const before = contentOf(url)
  const good = { name: 'good', sql: 'create table good (n integer)', oldestProgram: 1 }
  const bad = { name: 'bad', sql: 'update service set seq = 99; insert into nowhere values (1)', oldestProgram: 1 }
  await assert.rejects(apply([...DONE, good, bad]), /nowhere/)
  assert.deepEqual(contentOf(url), before)
})

test('a first migration that fails leaves a database without a schema', async t => {
  const { url, apply } = await makeWorld(t)
  const bad = { name: 'bad', sql: 'create table half (n integer); create table half (n integer)', oldestProgram: 1 }
  await assert.rejects(apply([bad]), /half/)
  assert.deepEqual(readRows(url, COLUMNS), [])
})

test('a database of a newer version that does not allow this program is refused, and migrating it changes nothing', async t => {
  const { url, migrate, apply, open } = await makeWorld(t)
  await migrate()
  await apply([...DONE, { name: 'later', sql: 'select 1', oldestProgram: PROGRAM_VERSION + 1 }])
  const before = contentOf(url)
  await assert.rejects(open(), problem(/^The database test_\w+ is of a newer version of Mintmark: run that version\.$/))
  await assert.rejects(migrate(), problem(/newer version of Mintmark/))
  assert.deepEqual(contentOf(url), before)
})

test('a database that was never migrated, or is of an older version, is refused with the command that is missing', async t => {
  const { url, migrate, open } = await makeWorld(t)
  await assert.rejects(open(), problem(/is not set up yet: run 'mintmark migrate' first/))
  assert.deepEqual(readRows(url, COLUMNS), [], 'looking for it makes nothing')
  await migrate()
  withFile(url, db => db.exec(`delete from migration where version = ${PROGRAM_VERSION}`))
  await assert.rejects(open(), problem(/(is not set up yet|older version): run 'mintmark migrate' first/))
})

test('a database with tables of another program is refused and stays as it is', async t => {
  const { url, migrate } = await makeWorld(t)
  withFile(url, db => db.exec('create table migration (id integer); create table users (id integer)'))
  const before = readRows(url, COLUMNS)
  await assert.rejects(migrate(), problem(/holds tables of another program/))
  assert.deepEqual(readRows(url, COLUMNS), before)
})

test('the pages of the two stores name every table', async t => {
  const { url, migrate } = await makeWorld(t)
  await migrate()
  const text = ['development/embedded-store', 'development/postgresql'].map(name =>
    readFileSync(join(import.meta.dirname, `../../../../docs/${name}.md`), 'utf8'),
  )
  const tables = readRows(
    url,
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace
    and relkind in ('r', 'p') and not relispartition`,
  )
  assert.ok(tables.length > 10)
  for (const { name } of tables) assert.ok(text.join('\n').includes(`\`${String(name)}\``), `missing: ${String(name)}`)
})
