// Why requests were refused, in the store: by agent and reason, in slots of time, a bounded number of rows each.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { REFUSAL_ROWS_A_SLOT_MAX } from '../../../../api/values/usage.ts'
import type { RefusalReason } from '../../../src/domain/refusal-reasons.ts'
import { retentionStep } from '../../../src/store/sqlite/writer/maintenance.ts'
import {
  act,
  createAgent,
  KEEP_LONG,
  makeTestStore,
  openTestedStore,
  resetTestedClock,
  type TestAgent,
  testEmbedded,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { countRows, inTransaction, withWritingConnection } from '../../../../testkit/stores/store-file.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

type World = Pick<TestStore, 'store'>

const makeWorld = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(() => world.dispose())
  return world
}

const numberOf = async ({ store }: World, { clientId }: TestAgent): Promise<number> => {
  const { clients } = await store.agents.viewForIssue([clientId], 'fresh')
  return clients[0]?.number ?? assert.fail('The agent is not in the store.')
}

const refuse = ({ store }: World, agent: number | null, reason: RefusalReason, times: number): void => {
  for (let n = 0; n < times; n += 1) store.usage.countRefused(agent, reason)
}

/** Of one agent: what is read of all of them is given again for a second. */
const countsOf = async ({ store }: World, agentId: string, over: '1h' | '24h' = '1h') => {
  await store.settle()
  return (await store.usage.listRefusals({ over, agentId })).map(({ reason, count }) => [reason, count])
}

test('refusals are counted by agent and reason, most first, and add up to what the agents were refused', async t => {
  const world = await makeWorld(t)
  const { store, clock } = world
  const [one, other] = [await createAgent(store, null, { name: 'one' }), await createAgent(store)]
  const [first, second] = [await numberOf(world, one), await numberOf(world, other)]
  refuse(world, first, 'invalid_scope', 5)
  refuse(world, second, 'tokens_per_minute', 3)
  refuse(world, first, 'tokens_per_minute', 2)
  refuse(world, second, 'invalid_scope', 1)
  refuse(world, null, 'connections', 4)
  await store.settle()
  const listed = await store.usage.listRefusals({ over: '1h', agentId: null })
  assert.deepEqual(
    listed.map(({ agent, reason, count }) => [agent?.id ?? null, reason, count]),
    [
      [one.id, 'invalid_scope', 5],
      [null, 'connections', 4],
      [other.id, 'tokens_per_minute', 3],
      [one.id, 'tokens_per_minute', 2],
      [other.id, 'invalid_scope', 1],
    ],
  )
  assert.deepEqual([listed[0]?.agent?.name, listed[0]?.lastAt], ['one', clock.wall()])
  const usages = await store.usage.list(10)
  assert.equal(usages.length, 2, 'what no agent asked for is of none')
  for (const { agentId, refusals } of usages) {
    const own = listed.filter(({ agent }) => agent?.id === agentId)
    assert.equal(
      own.reduce((sum, { count }) => sum + count, 0),
      refusals,
    )
  }
  assert.equal((await store.usage.status()).refusals, 11)
})

test('a refusal leaves the last hour after an hour, in proportion, and the last day after a day', async t => {
  const world = await makeWorld(t)
  const { store, clock } = world
  const agent = await createAgent(store)
  refuse(world, await numberOf(world, agent), 'invalid_target', 4)
  assert.deepEqual(await countsOf(world, agent.id), [['invalid_target', 4]])
  clock.advance(HOUR_MS)
  assert.deepEqual(await countsOf(world, agent.id), [['invalid_target', 4]])
  clock.advance(2.5 * MINUTE_MS)
  assert.deepEqual(await countsOf(world, agent.id), [['invalid_target', 2]])
  clock.advance(2.5 * MINUTE_MS)
  assert.deepEqual(await countsOf(world, agent.id), [])
  assert.deepEqual(await countsOf(world, agent.id, '24h'), [['invalid_target', 4]])
  clock.advance(24 * HOUR_MS)
  assert.deepEqual(await countsOf(world, agent.id, '24h'), [])
})

test('beyond the rows of a slot all others are one row for each reason, and none is lost', async t => {
  const world = await makeWorld(t)
  const { store } = world
  const agent = await createAgent(store)
  const number = await numberOf(world, agent)
  refuse(world, number, 'invalid_scope', 1)
  await store.settle()
  // Of agents that are not there: only their numbers count.
  for (let n = 1; n <= REFUSAL_ROWS_A_SLOT_MAX + 9; n += 1) refuse(world, number + n, 'invalid_scope', 1)
  refuse(world, number, 'invalid_scope', 1)
  refuse(world, null, 'connections', 1)
  await store.settle()
  const counts = await store.usage.listRefusals({ over: '1h', agentId: null })
  assert.equal(
    counts.reduce((sum, { count }) => sum + count, 0),
    REFUSAL_ROWS_A_SLOT_MAX + 12,
  )
  assert.equal(counts.length, REFUSAL_ROWS_A_SLOT_MAX + 2)
  assert.deepEqual(await countsOf(world, agent.id), [['invalid_scope', 2]])
  assert.equal(Math.max(...counts.map(({ count }) => count)), 10, 'the agents that had no room')
})

test('refusals survive a restart, two processes on one store add up, and a clock that was set back forgets them', async t => {
  const world = await makeTestStore(null)
  let opened = world
  t.after(() => opened.dispose())
  const agent = await createAgent(world.store)
  const number = await numberOf(world, agent)
  refuse(world, number, 'invalid_scope', 2)
  opened = await world.reopen(null)
  const { file, clock } = opened
  const beside = await openTestedStore({ file, clock, retention: null })
  try {
    for (const store of [opened.store, beside]) refuse({ store }, number, 'invalid_scope', 3)
    await Promise.all([opened.store.settle(), beside.settle()])
    assert.deepEqual(await countsOf(opened, agent.id), [['invalid_scope', 8]])
  } finally {
    await beside.close()
  }
  await opened.store.close()
  clock.advance(-HOUR_MS)
  await resetTestedClock(opened, act('clock.reset'))
  opened = await opened.reopen(null)
  clock.advance(HOUR_MS)
  assert.deepEqual(await countsOf(opened, agent.id), [])
})

testEmbedded('slots that were kept long enough are removed, in steps', async t => {
  const world = await makeWorld(t)
  const { clock, file, store } = world
  const rowsAfter = (ms: number): number => {
    clock.advance(ms)
    withWritingConnection(world, connection => inTransaction(connection, tx => retentionStep(tx, KEEP_LONG)))
    return countRows(file, 'refusal_count')
  }
  refuse(world, await numberOf(world, await createAgent(store)), 'invalid_scope', 1)
  await store.settle()
  assert.equal(countRows(file, 'refusal_count'), 2)
  assert.equal(rowsAfter(HOUR_MS), 2)
  assert.equal(rowsAfter(5 * MINUTE_MS), 1)
  assert.equal(rowsAfter(22 * HOUR_MS), 1)
  assert.equal(rowsAfter(2 * HOUR_MS), 0)
})
