// When the revocation feed starts over: where history was rewritten. And how the feed of a store of an earlier version is opened.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Unavailable } from '../../../src/domain/refusal.ts'
import type { FeedPage } from '../../../src/ports/revocation-feed.ts'
import { openFeed } from '../../../src/store/feed/open-feed.ts'
import { areFactsOver, removeFacts } from '../../../src/store/feed/append-facts.ts'
import type { Program } from '../../../src/store/statement-program.ts'
import type { Transaction } from '../../../src/store/transaction.ts'
import { BEFORE_FEED } from '../../../src/store/postgres/connection/connection.ts'
import { withClient } from '../../../../testkit/databases/postgres-cluster.ts'
import { backUp, openRestored, restore } from '../../../../testkit/stores/backups.ts'
import {
  act,
  createAgent,
  issue,
  makeTestStore,
  openTestedStore,
  resetTestedClock,
  testDatabase,
  testEmbedded,
  type TestedStore,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { statementsDuring } from '../../../../testkit/stores/asked-statements.ts'
import { planOf } from '../lists/list-plans.ts'
import {
  countRows,
  inTransaction,
  readRow,
  withFile,
  withWritingConnection,
} from '../../../../testkit/stores/store-file.ts'

const REVOKE = act('token.revoke')
const DAY_SECONDS = 86_400

const makeWorld = async (t: TestContext, start?: number): Promise<TestStore> => {
  const world = await makeTestStore(null, start)
  t.after(world.dispose)
  return world
}

const read = async (store: Pick<TestedStore, 'feed'>): Promise<FeedPage> => {
  const page = await store.feed.read({ epoch: null, from: 0, to: null })
  assert.notEqual(page, 'epoch_changed')
  return page as FeedPage
}

/** As a store that an earlier version made is after its migration. */
const closeFeed = ({ file }: Pick<TestStore, 'file'>): void =>
  withFile(file, db => {
    db.prepare(`update service set feed_epoch = '', feed_position = 0`).run()
    db.prepare('delete from fact').run()
  })

const change = <T>(world: TestStore, work: (tx: Transaction) => Program<T>): T =>
  withWritingConnection(world, connection => inTransaction(connection, work))

const endOne = async ({ store }: Pick<TestStore, 'store'>): Promise<void> => {
  const [token] = await issue(store, await createAgent(store), {})
  assert.ok(token)
  assert.equal(await store.ledger.end(token, 'manual_revocation', REVOKE), 'ended')
}

testEmbedded('a restored store has another epoch, and says that everything ended', async t => {
  // The clock of a restored store is that of this machine.
  const world = await makeWorld(t, Date.now())
  const { epoch } = await world.store.feed.head()
  await endOne(world)
  await backUp(world)
  const { file, seq } = restore(world, `${world.file.replace(/[^/]*$/, '')}backup.db`)
  const restored = await openRestored(file)
  t.after(restored.close)
  const page = await read(restored)
  assert.notEqual(page.epoch, epoch)
  assert.ok(page.cutOffs.some(fact => fact.seq === seq && Object.keys(fact).length === 2))
})

test('after a reset of the clock there is another epoch with one fact, which lasts by the clock that was ahead', async t => {
  const world = await makeWorld(t)
  const { epoch, now: ahead } = await world.store.feed.head()
  await endOne(world)
  await world.store.close()
  world.clock.advance(-3_600_000)
  await resetTestedClock(world, act('clock.reset'))
  const { file, clock } = world
  const store = await openTestedStore({ file, retention: null, clock })
  t.after(store.close)
  const page = await read(store)
  assert.notEqual(page.epoch, epoch)
  assert.equal(page.ended.size, 0)
  assert.equal(page.cutOffs.length, 1)
  assert.ok((page.cutOffs[0]?.until ?? 0) >= ahead / 1000 + DAY_SECONDS)
})

test('the feed of a store of an earlier version is unavailable until it is opened, and says so', async t => {
  const world = await makeWorld(t)
  closeFeed(world)
  await assert.rejects(world.store.feed.head(), fault => fault instanceof Unavailable && /not open/.test(fault.message))
  await assert.rejects(world.store.feed.read({ epoch: null, from: 0, to: null }), Unavailable)
})

test('opening it has verifiers ask for every token of before, and for none of after', async t => {
  const world = await makeWorld(t)
  const { store } = world
  const agent = await createAgent(store)
  const [before] = await issue(store, agent, {})
  closeFeed(world)
  change(world, openFeed)
  const { cutOffs, head } = await read(store)
  const [after] = await issue(store, agent, {})
  assert.ok(before && after)
  const [old, young] = await store.ledger.find([before, after])
  const [opening, ...others] = cutOffs
  assert.deepEqual([opening?.opened, others.length, head.position], [true, 0, 1])
  assert.ok((old?.seq ?? 0) < (opening?.seq ?? 0) && (young?.seq ?? 0) >= (opening?.seq ?? 0))
  assert.deepEqual([old?.dead, young?.dead], [false, false])
  assert.ok((opening?.until ?? 0) >= head.now / 1000 + DAY_SECONDS)
})

test('once it is open no program of before may use the store', async t => {
  const world = await makeWorld(t)
  withFile(world.file, db => db.prepare(`update migration set oldest_program = 1`).run())
  closeFeed(world)
  change(world, openFeed)
  const row = readRow(
    world.file,
    `select version, oldest_program as oldest from migration where name = 'revocation feed'`,
  )
  assert.equal(row['oldest'], row['version'])
})

testDatabase('while a program uses the database that adds no facts the feed stays closed', async t => {
  const world = await makeWorld(t)
  closeFeed(world)
  await withClient(`${world.file}&application_name=${BEFORE_FEED.replace(' ', '%20')}`, async () => {
    change(world, openFeed)
    await assert.rejects(world.store.feed.head(), Unavailable)
  })
  // A session is there for a moment after its program has gone.
  while ((await read(world.store).catch(() => undefined)) === undefined) change(world, openFeed)
  assert.equal((await world.store.feed.head()).position, 1)
})

test('facts are removed a minute after they are over, and positions go on', async t => {
  const world = await makeWorld(t)
  await endOne(world)
  const { now } = await world.store.feed.head()
  const over = 1000 * Math.floor(now / 1000) + 300_000
  const remove = (at: number): readonly [boolean, string, number] => [
    change(world, () => areFactsOver(at)),
    change(world, () => removeFacts(at)),
    countRows(world.file, 'fact'),
  ]
  assert.deepEqual(remove(over + 60_999), [false, 'nothing_left', 1])
  assert.deepEqual(remove(over + 61_000), [true, 'nothing_left', 0])
  assert.equal((await world.store.feed.head()).position, 1)
  await endOne(world)
  assert.equal((await world.store.feed.head()).position, 2)
})

testEmbedded('a page of the feed is read by its positions, and never sorted by the store', async t => {
  const { store, file } = await makeWorld(t)
  const asked = await statementsDuring(() => read(store), /from fact/)
  assert.deepEqual(
    asked.map(text => planOf(file, text)),
    [['SEARCH fact USING INDEX fact_position (position>? AND position<?)']],
  )
})
