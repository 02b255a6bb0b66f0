// Retention on PostgreSQL: whole partitions go, never a row of them, by any replica and once; what explains the rest stays.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import { performAlone } from '../../../src/store/offline/postgres/act-alone.ts'
import { keepPartitions } from '../../../src/store/postgres/partitions/partition-maintenance.ts'
import { connectPatiently } from '../../../src/store/postgres/connection/primary.ts'
import { makeTransactions } from '../../../src/store/postgres/writer/transactions.ts'
import { makeRetentionStep, type Retention } from '../../../src/store/retention.ts'
import { given } from '../../../src/store/statement-program.ts'
import { until } from '../../../../testkit/processes/until.ts'
import { databaseOf } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf, withConnection } from '../../../../testkit/databases/postgres-store.ts'
import {
  act,
  createAgent,
  issue,
  makeTestStore,
  NO_HISTORY_FILTERS,
  openTestedStore,
} from '../../../../testkit/stores/store.ts'
import { countRows, readRows, withFile } from '../../../../testkit/stores/store-file.ts'

process.env['MINTMARK_TEST_STORE'] = 'postgres'

const DAY_MS = 86_400_000
const RETENTION: Retention = { expiredMs: DAY_MS, endedMs: 5 * DAY_MS }
const REVOKE = act('token.revoke')
const FIRST_DAY = 'token_20261121'

const NO_ROW_IS_DELETED = `
  create function refuse() returns trigger language plpgsql as $$ begin raise 'a row was deleted'; end $$;
  create trigger kept before delete on token for each statement execute function refuse();
  create trigger kept before delete on ended for each statement execute function refuse()`

const makeWorld = async (t: TestContext) => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  const address = await addressOf(databaseOf(world.file))
  const keep = () => keepPartitions(() => connectPatiently({ address, timing: TIMING }), RETENTION, world.clock.wall())
  return { ...world, address, keep, agent: await createAgent(world.store) }
}

type World = Awaited<ReturnType<typeof makeWorld>>

const partitionsIn = (file: string): readonly string[] =>
  readRows(file, 'select inhrelid::regclass::text as name from pg_inherits order by 1').map(row => String(row['name']))

const isThere = (file: string, table: string): boolean => countRows(file, `pg_class where relname = '${table}'`) > 0

/** What the maintenance removes beside the partitions, to its end. */
const removeRest = ({ address }: World): Promise<void> => {
  const step = makeRetentionStep({ removeExpired: () => given(0), removeEnded: () => given(0) })
  const kept = { ...RETENTION, endedMs: RETENTION.endedMs + 7 * DAY_MS }
  const { write } = makeTransactions({ address, timing: TIMING })
  return withConnection(address, async connection => {
    while ((await write(connection, () => performAlone(connection, TIMING, tx => step(tx, kept)))) === 'more');
  })
}

test('a service in work drops by itself what was kept long enough, and deletes no row of it', async t => {
  const { store, agent, file, clock, reopen } = await makeWorld(t)
  const [ended] = await issue(store, agent, {}, {})
  assert.ok(ended)
  await store.ledger.end(ended, 'manual_revocation', REVOKE)
  withFile(file, db => db.exec(NO_ROW_IS_DELETED))
  clock.advance(30 * DAY_MS)
  const serving = await reopen(RETENTION)
  // Another replica does it too.
  const other = await openTestedStore({ file, retention: RETENTION, clock })
  await until('both partitions are gone', async () => !isThere(file, FIRST_DAY) && !isThere(file, 'ended_20261119'))
  assert.deepEqual([countRows(file, 'token'), countRows(file, 'ended')], [0, 0])
  await Promise.all([serving.store.close(), other.close()])
})

test('while a cut-off is open no partition goes, and each token that it ended gets its record', async t => {
  const { store, agent, file, clock, keep } = await makeWorld(t)
  await issue(store, agent, ...Array.from({ length: 65 }, () => ({})))
  await store.ledger.endAll({ ...NO_CONDITION, agent: 1 }, 'agent_disabled', REVOKE)
  clock.advance(30 * DAY_MS)
  await keep()
  assert.ok(isThere(file, FIRST_DAY))
  withFile(file, db => db.exec(`update cutoff set state = 'closed'`))
  await keep()
  assert.ok(!isThere(file, FIRST_DAY))
})

test('what a replica that ended in the middle of it has left is finished by the next, and by one alone', async t => {
  const { file, clock, keep, address } = await makeWorld(t)
  clock.advance(30 * DAY_MS)
  // Detached, and not dropped.
  withFile(file, db => db.exec('alter table token detach partition token_20261122'))
  // Broken off while it waited for who reads.
  await withConnection(address, async reader => {
    await reader.ask({ text: 'begin' })
    await reader.ask({ text: 'select count(*) from token' })
    await withConnection(address, async connection => {
      await connection.ask({ text: `set statement_timeout = '200ms'` })
      const detach = { text: `alter table token detach partition ${FIRST_DAY} concurrently` }
      await assert.rejects(connection.ask(detach))
    })
    await reader.ask({ text: 'rollback' })
  })
  assert.equal(countRows(file, 'pg_inherits where inhdetachpending'), 1)
  await Promise.all(Array.from({ length: 5 }, keep))
  for (const name of [FIRST_DAY, 'token_20261122']) assert.ok(!isThere(file, name), name)
  assert.ok(partitionsIn(file).includes('token_20261221'))
})

test('every record that is kept can be read: its act and its sets are kept with it, and nothing else for ever', async t => {
  const world = await makeWorld(t)
  const { store, agent, clock, keep, file } = world
  for (let day = 0; day < 25; day += 5) {
    const wish = { scope: `db:day${day}`, audience: [`https://day${day}.example`] }
    const [token] = await issue(store, agent, wish)
    assert.ok(token)
    assert.equal(await store.ledger.end(token, 'manual_revocation', REVOKE), 'ended')
    clock.advance(5 * DAY_MS)
    await keep()
    await removeRest(world)
    const request = { filters: NO_HISTORY_FILTERS, audiences: null, after: null, limit: 100 }
    const { records } = await store.ledger.listEnded(request)
    assert.equal(records.length, countRows(file, 'ended'))
    for (const { scope, endedBy } of records) {
      assert.match(scope, /^db:day\d+$/)
      assert.deepEqual(endedBy, REVOKE.actor)
    }
  }
  clock.advance(30 * DAY_MS)
  await keep()
  await removeRest(world)
  const tables = [
    'ended',
    'ended_minute',
    'act',
    'scope_set',
    'scope_set_item',
    'audience_set',
    'audience_span',
    'lifetime',
  ]
  assert.deepEqual(
    tables.map(table => [table, countRows(file, table)]),
    tables.map(table => [table, 0]),
  )
})

test('of fifty requests that find a partition missing, of two replicas, every one gets its token, and ends it', async t => {
  const { store, agent, file, clock } = await makeWorld(t)
  const other = await openTestedStore({ file, retention: null, clock })
  t.after(other.close)
  clock.advance(40 * DAY_MS)
  assert.ok(!isThere(file, 'token_20261231'))
  const issued = await Promise.all(Array.from({ length: 50 }, (_, n) => issue(n % 2 === 0 ? store : other, agent, {})))
  const ends = issued
    .flat()
    .map((token, n) => (n % 2 === 0 ? other : store).ledger.end(token, 'manual_revocation', REVOKE))
  assert.deepEqual(new Set(await Promise.all(ends)), new Set(['ended']))
  assert.deepEqual([countRows(file, 'token'), countRows(file, 'ended')], [0, 50])
})
