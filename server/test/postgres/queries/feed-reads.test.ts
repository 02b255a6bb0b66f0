// How PostgreSQL reads what is new in the revocation feed: by one statement, with its head, by the index of positions.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import { makeLayout } from '../../../src/metrics/layout.ts'
import { makeSlab, openRecorder } from '../../../src/metrics/memory.ts'
import { readMemory } from '../../../src/metrics/read-memory.ts'
import type { FeedPage } from '../../../src/ports/revocation-feed.ts'
import { databaseOf } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf, genericPlan, preparedText, withConnection } from '../../../../testkit/databases/postgres-store.ts'
import { withFile } from '../../../../testkit/stores/store-file.ts'
import { act, createAgent, issue, makeTestStore, openTestedStore } from '../../../../testkit/stores/store.ts'

process.env['MINTMARK_TEST_STORE'] = 'postgres'

const TAIL_BYTES = 8
/** More than one statement reads. */
const MANY = 200

const makeWorld = async (t: TestContext) => {
  const lists = { operations: [], codes: [], tasks: [] }
  const layout = makeLayout(lists)
  const slab = makeSlab(layout)
  const reads = (): number =>
    readMemory(layout, [slab])
      .filter(({ name }) => name === 'mintmark_store_read_seconds')
      .flatMap(({ series }) => series)
      .reduce((sum, { value }) => sum + (typeof value === 'object' ? value.count : 0), 0)
  const world = await makeTestStore(null)
  const { file, clock } = world
  const store = await openTestedStore({ file, clock, retention: null, metrics: openRecorder({ lists, slab }) })
  t.after(async () => {
    await store.close()
    await world.dispose()
  })
  const agent = await createAgent(store)
  const end = async (): Promise<number> => {
    const [token] = await issue(store, agent, {})
    assert.ok(token)
    await store.ledger.end(token, 'manual_revocation', act('token.revoke'))
    return (await store.feed.head()).position
  }
  const counted = async <T>(read: Promise<T>): Promise<readonly [T, number]> => {
    const before = reads()
    const value = await read
    return [value, reads() - before]
  }
  const page = async (from: number, to: number): Promise<FeedPage> => {
    const read = await store.feed.read({ epoch: null, from, to })
    assert.ok(read !== 'epoch_changed')
    return read
  }
  return { ...world, store, end, counted, page }
}

const tailsIn = ({ ended }: FeedPage): number => [...ended.values()].reduce((sum, b) => sum + b.length / TAIL_BYTES, 0)

test('what is new is read by one statement, whatever acts there were', async t => {
  const { end, counted, page } = await makeWorld(t)
  for (const from of [0, 1, 2]) {
    const to = await end()
    const [read, statements] = await counted(page(from, to))
    assert.deepEqual([read.from, read.to, read.head.position, tailsIn(read), statements], [from, to, to, 1, 1])
  }
  assert.equal(tailsIn(await page(0, 3)), 3)
  const [nothing, statements] = await counted(page(3, 3))
  assert.deepEqual([nothing.to, tailsIn(nothing), nothing.cutOffs.length, statements], [3, 0, 0, 1])
})

test('the key that signs is read by one statement, and again after an act', async t => {
  const { store, counted } = await makeWorld(t)
  const view = () => store.agents.viewForIssue([], 'cached')
  const [first, statements] = await counted(view())
  const [second, again] = await counted(view())
  await store.ledger.endAll(NO_CONDITION, 'bulk_revocation', act('token.revoke'))
  const [third, afterAct] = await counted(view())
  assert.deepEqual([statements, again, afterAct], [1, 1, 1])
  assert.deepEqual([second.signingKey, third.signingKey], [first.signingKey, first.signingKey])
  assert.ok(third.seq > first.seq)
})

test('of a range that holds more rows than one statement reads nothing is left out', async t => {
  const { file, page, store } = await makeWorld(t)
  withFile(file, db => {
    db.exec('update service set feed_position = 2')
    db.exec(
      `insert into fact (position, until, tails) select 1, 4000000000, decode('0102030405060708', 'hex') from generate_series(1, ${MANY})`,
    )
  })
  assert.equal(tailsIn(await page(0, 2)), MANY)
  assert.equal(await store.feed.read({ epoch: null, from: 1, to: 3 }), 'epoch_changed')
  assert.equal(await store.feed.read({ epoch: 'another', from: 0, to: 1 }), 'epoch_changed')
})

test('what is new is read by the index of positions', async t => {
  const { file, page } = await makeWorld(t)
  const asked = await preparedText(t, 'feed_page', () => page(0, 0))
  const plan = await withConnection(await addressOf(databaseOf(file)), connection => genericPlan(connection, asked))
  assert.match(
    plan.join('\n'),
    /Index Scan using fact_position on fact\n\s+Index Cond: \(\("?position"? > \$1\) AND \("?position"? <= \$2\)\)/,
  )
})
