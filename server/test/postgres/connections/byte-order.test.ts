// Text is compared by its bytes, whatever the database compares by: in a new store, in one that was made before and is served
// while it is migrated, and where somebody changed it since.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { TIMING } from '../../../src/ports/timing.ts'
import { migratePostgresStore } from '../../../src/store/postgres/schema/migrate.ts'
import { applyMigrations, MIGRATIONS, PROGRAM_VERSION } from '../../../src/store/postgres/schema/migrations.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { makePartitions } from '../../../src/store/postgres/partitions/partitions.ts'
import { resetDatabaseClock } from '../../../src/store/offline/postgres/act-alone.ts'
import { MIGRATING } from '../../../src/store/postgres/connection/connection.ts'
import { connectUnhurried } from '../../../src/store/postgres/connection/primary.ts'
import { withConnection as withNamedConnection } from '../../../src/store/postgres/connection/with-connection.ts'
import { StoreProblem } from '../../../src/store/store-problem.ts'
import { makeTestDatabase, runStatement } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf, withConnection } from '../../../../testkit/databases/postgres-store.ts'
import { act, createAgent, issue, someSigningKey, NO_AGENT_FILTERS } from '../../../../testkit/stores/store.ts'

process.env['MINTMARK_TEST_STORE'] = 'postgres'

const BEFORE = 1

const makeWorld = async (t: TestContext, how?: string) => {
  const { url, name, drop } = await makeTestDatabase(how)
  t.after(drop)
  const address = await addressOf(name)
  const first = { madeBy: 'migrate', now: Date.now(), timing: TIMING } as const
  return {
    url,
    name,
    address,
    migrate: () => migratePostgresStore({ address, ...first }),
    /** A store as the version before made it. */
    makeEarlier: () =>
      withConnection(address, async connection => {
        await applyMigrations(connection, { ...first, migrations: MIGRATIONS.slice(0, BEFORE) })
        await makePartitions(connection, Date.now())
      }),
    open: async () => {
      const store = await openPostgresStore({ address, timing: TIMING, retention: null })
      t.after(() => store.close())
      return store
    },
  }
}

type World = Awaited<ReturnType<typeof makeWorld>>

const problem = (pattern: RegExp) => (fault: unknown) =>
  fault instanceof StoreProblem && !fault.message.includes('\n') && pattern.test(fault.message)

const OTHERWISE = `select table_name, column_name from information_schema.columns
  where table_schema = 'public' and data_type = 'text' and collation_name is distinct from 'C'`

const INDEXED_OTHERWISE = `select indexrelid::regclass::text as name from pg_index, unnest(indcollation) as has (one)
  where indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
    and one not in (0, '"C"'::regcollation)`

const INDEXES = `select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1`

const assertByBytes = async ({ url }: World): Promise<void> => {
  assert.deepEqual(await runStatement(url, OTHERWISE), [])
  assert.deepEqual(await runStatement(url, INDEXED_OTHERWISE), [])
  assert.deepEqual(await runStatement(url, 'select indexrelid::regclass from pg_index where not indisvalid'), [])
}

const ORDERS = ['en-US', 'und-u-ka-shifted', 'de-DE-u-co-phonebk-kf-upper', 'tr-TR']

for (const order of ORDERS) {
  test(`in a database in the order of ${order} agents are listed by the bytes of their names`, async t => {
    const world = await makeWorld(t, `template template0 locale_provider icu icu_locale '${order}'`)
    await world.migrate()
    await assertByBytes(world)
    const store = await world.open()
    const names = ['A b', 'A-a', 'B', 'I', 'a b', 'a-a', 'aa', 'b', 'i', 'z', 'Ä', 'é', 'ı', 'ａ', '🙂']
    for (const name of names.toReversed()) await createAgent(store, null, { name })
    const listed = await store.agents.list({ filters: NO_AGENT_FILTERS, after: null, limit: 100 })
    assert.deepEqual(
      listed.records.map(({ name }) => name),
      names,
    )
    // A search ignores the case of ASCII letters alone, whatever the database takes for the other case of one.
    for (const [filters, expected] of [
      [{ namePrefix: 'a-' }, ['a-a']],
      [{ name: 'a-a' }, ['a-a']],
      [{ search: 'a-' }, ['A-a', 'a-a']],
      [{ search: 'I' }, ['I', 'i']],
    ] as const) {
      const found = await store.agents.list({ filters: { ...NO_AGENT_FILTERS, ...filters }, after: null, limit: 100 })
      assert.deepEqual(
        found.records.map(({ name }) => name),
        expected,
      )
    }
  })
}

const ENTRIES = `insert into audit (at, kind, actor, request_id, subject, detail)
  select n, 'agent.update', 'x', 'r' || n, case when n % 2 = 0 then 's' || n end, '{}' from generate_series(1, 100) n`

test('a store that was made before has the same indexes afterwards, and those of its log were made beside who serves', async t => {
  const [world, fresh] = [await makeWorld(t), await makeWorld(t)]
  await fresh.migrate()
  await world.makeEarlier()
  await runStatement(world.url, ENTRIES)
  assert.deepEqual(await world.migrate(), { from: BEFORE, to: PROGRAM_VERSION })
  await assertByBytes(world)
  assert.deepEqual(await runStatement(world.url, INDEXES), await runStatement(fresh.url, INDEXES))
  assert.equal((await runStatement(world.url, 'select * from audit')).length, 100)
})

test('an index that a migration was about to make when it was broken off is made anew', async t => {
  const world = await makeWorld(t)
  await world.makeEarlier()
  await runStatement(world.url, ENTRIES)
  // As one that was broken off is left: there, and of no use.
  await runStatement(world.url, 'create index audit_kind_bytes on audit (kind collate "C", at)')
  const name = `'audit_kind_bytes'::regclass`
  await runStatement(world.url, `update pg_index set indisvalid = false where indexrelid = ${name}`)
  await world.migrate()
  await assertByBytes(world)
})

/** What later migrations made is there. */
const AGAIN = MIGRATIONS.map((migration, n) => (n <= BEFORE ? migration : { ...migration, sql: '', indexes: [] }))

/** Back to the text of the version before, under a program that serves: its statements are those of this one. */
const UNDO = `do $$ declare altered record; begin
  for altered in select table_name, column_name from information_schema.columns
    where table_schema = 'public' and data_type = 'text' loop
    execute format('alter table %I alter %I type text collate "default"', altered.table_name, altered.column_name);
  end loop;
  delete from migration where version > ${BEFORE};
end $$`

test('a program that has served before goes on serving once the store is migrated', async t => {
  const world = await makeWorld(t)
  await world.migrate()
  const store = await world.open()
  await runStatement(world.url, UNDO)
  await store.signingKeys.createFirst(someSigningKey(), act('signing_key.create'))
  const agent = await createAgent(store)
  const serve = async (): Promise<void> => {
    const [token] = await issue(store, agent, {})
    assert.ok(token)
    assert.equal((await store.ledger.find([token]))[0]?.dead, false)
    assert.equal(await store.ledger.end(token, 'manual_revocation', act('token.revoke')), 'ended')
    assert.equal((await store.agents.list({ filters: NO_AGENT_FILTERS, after: null, limit: 9 })).records.length, 1)
  }
  for (let n = 0; n < 3; n += 1) await serve()
  const again = { madeBy: 'migrate', now: Date.now(), timing: TIMING, migrations: AGAIN } as const
  const connecting = connectUnhurried({ address: world.address, timing: TIMING }, { name: MIGRATING })
  await withNamedConnection(connecting, connection => applyMigrations(connection, again))
  for (let n = 0; n < 3; n += 1) await serve()
})

test('a database whose text somebody let be compared otherwise is refused, with what to run', async t => {
  const world = await makeWorld(t)
  await world.migrate()
  await runStatement(world.url, 'alter table workload alter subject type text collate "en-US-x-icu"')
  const refused = problem(/^The column subject of workload .*"en-US-x-icu".* expected "C"\. Run: (.*)\.$/)
  await assert.rejects(world.open(), refused)
  await assert.rejects(resetDatabaseClock({ address: world.address, timing: TIMING }, act('clock.reset')), refused)
  await runStatement(world.url, 'alter table workload alter subject type text collate "C"')
  await world.open()
})

test('a database that cannot hold every character is refused before anything is made in it', async t => {
  const world = await makeWorld(t, `template template0 locale_provider libc locale 'C' encoding 'SQL_ASCII'`)
  await assert.rejects(world.migrate(), problem(/^The encoding of the database is SQL_ASCII.*expected UTF8/))
  assert.deepEqual(await runStatement(world.url, 'select * from pg_tables where schemaname = current_schema()'), [])
})
