// What agents got and were refused, in the store: by slots of time, in the order of the last minute, for a day.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { COUNT_EXACT_MAX } from '../../../../api/values/lists.ts'
import { COUNT_JUDGED_MAX } from '../../../src/store/ledger/count-tokens.ts'
import { NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import {
  act,
  createAgent,
  issue,
  KEEP_LONG,
  makeTestStore,
  newTokens,
  openTestedStore,
  resetTestedClock,
  type TestAgent,
  testEmbedded,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { countRows, inTransaction, readNumber, withWritingConnection } from '../../../../testkit/stores/store-file.ts'
import { retentionStep } from '../../../src/store/sqlite/writer/maintenance.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const makeWorld = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return world
}

/** Issues as a serving thread does: the token is inserted, and then counted. */
const issueCounted = async (
  { store }: Pick<TestStore, 'store'>,
  agent: TestAgent,
  many: number,
  scope = 'db:read',
): Promise<void> => {
  for (let left = many; left > 0; left -= 5000) {
    const wishes = Array.from({ length: Math.min(left, 5000) }, () => ({ lifetimeSeconds: 3600, scope }))
    const tokens = await newTokens(store, agent, wishes)
    await store.ledger.insert(tokens)
    for (const { agent: number, id } of tokens) store.usage.countIssued(number, id)
  }
}

const numberOf = async ({ store }: Pick<TestStore, 'store'>, { clientId }: TestAgent): Promise<number> => {
  const { clients } = await store.agents.viewForIssue([clientId], 'fresh')
  return clients[0]?.number ?? assert.fail('The agent is not in the store.')
}

let limit = 10

/** More agents are asked for each time: an answer that is given again is for no more than it was read for. */
const list = async ({ store }: Pick<TestStore, 'store'>) => {
  await store.settle()
  limit += 1
  return store.usage.list(limit)
}

const tokensOf = async (world: Pick<TestStore, 'store'>): Promise<readonly number[] | undefined> => {
  const [first] = await list(world)
  return first && [first.tokensLastMinute, first.tokensLastHour, first.tokensLastDay]
}

test('a token counts in full until the slot that a window cuts begins to leave it, and then in proportion', async t => {
  const world = await makeWorld(t)
  const { clock } = world
  await issueCounted(world, await createAgent(world.store), 4)
  assert.deepEqual(await tokensOf(world), [4, 4, 4])
  clock.advance(MINUTE_MS)
  assert.deepEqual(await tokensOf(world), [4, 4, 4])
  clock.advance(MINUTE_MS / 4)
  assert.deepEqual(await tokensOf(world), [3, 4, 4])
  clock.advance((3 * MINUTE_MS) / 4 - 1)
  assert.deepEqual(await tokensOf(world), [1, 4, 4])
  clock.advance(1)
  assert.deepEqual(await tokensOf(world), [0, 4, 4])
  clock.advance(HOUR_MS - MINUTE_MS)
  assert.deepEqual(await tokensOf(world), [0, 4, 4])
  clock.advance(4 * MINUTE_MS)
  assert.deepEqual(await tokensOf(world), [0, 0, 4])
  clock.advance(23 * HOUR_MS - 5 * MINUTE_MS)
  assert.deepEqual(await tokensOf(world), [0, 0, 2], 'half of the hour in which the day begins has left it')
  clock.advance(HOUR_MS / 2 - 1)
  assert.deepEqual(await tokensOf(world), [0, 0, 1])
  clock.advance(1)
  assert.deepEqual(await list(world), [])
})

test('agents stand in the order of their last minute, then of their last token; at most as many as are asked for', async t => {
  const world = await makeWorld(t)
  const { store, clock } = world
  const agents = await Promise.all(
    ['quiet', 'newer', 'runaway', 'refused'].map(name =>
      createAgent(store, null, { name, owner: name === 'runaway' ? 'Ada' : null }),
    ),
  )
  const [quiet, newer, runaway, refused] = agents
  assert.ok(quiet && newer && runaway && refused)
  await issueCounted(world, quiet, 3)
  clock.advance(1)
  await issueCounted(world, newer, 3)
  const last = clock.wall()
  await issueCounted(world, runaway, 5)
  const number = await numberOf(world, refused)
  for (let n = 0; n < 7; n += 1) store.usage.countRefused(number, 'invalid_scope')
  const usages = await list(world)
  assert.deepEqual(
    usages.map(({ name }) => name),
    ['runaway', 'newer', 'quiet', 'refused'],
  )
  assert.deepEqual(usages[0], {
    agentId: runaway.id,
    name: 'runaway',
    owner: 'Ada',
    state: 'active',
    tokensLastMinute: 5,
    tokensLastHour: 5,
    tokensLastDay: 5,
    liveTokens: { count: 5, isExact: true },
    refusals: 0,
    lastIssuedAt: last,
    lastUsedAt: last,
  })
  assert.deepEqual([usages[3]?.refusals, usages[3]?.lastIssuedAt, usages[3]?.liveTokens.count], [7, null, 0])
  assert.deepEqual(
    (await store.usage.list(2)).map(({ name }) => name),
    ['runaway', 'newer'],
  )
})

test('agents are asked for by their ids, also those that got nothing of late', async t => {
  const world = await makeWorld(t)
  const { store, clock } = world
  const [once, idle, busy, other] = [
    await createAgent(store),
    await createAgent(store),
    await createAgent(store),
    await createAgent(store),
  ]
  const before = clock.wall()
  await issueCounted(world, once, 1)
  await store.settle()
  clock.advance(25 * HOUR_MS)
  await issueCounted(world, busy, 2)
  await issueCounted(world, other, 3)
  await store.settle()
  const ids = [idle.id, once.id, busy.id, busy.id, randomUUID()]
  const usages = await store.usage.listEach(ids, 10)
  assert.deepEqual(
    usages.map(one => [one.agentId, one.tokensLastDay, one.lastIssuedAt, one.lastUsedAt, one.liveTokens.count]),
    [
      [busy.id, 2, clock.wall(), clock.wall(), 2],
      [once.id, 0, null, before, 0],
      [idle.id, 0, null, null, 0],
    ],
  )
  assert.deepEqual(await store.usage.listEach([randomUUID()], 10), [])
  assert.equal((await store.usage.listEach(ids, 1)).length, 1)
})

test('an agent that is disabled or deleted stays in the list, and says so', async t => {
  const world = await makeWorld(t)
  const { store } = world
  const [stopped, gone] = [await createAgent(store), await createAgent(store)]
  await issueCounted(world, stopped, 2)
  await issueCounted(world, gone, 1)
  await store.agents.disable(stopped.id, act('agent.disable'))
  await store.agents.delete(gone.id, act('agent.delete'))
  assert.deepEqual(
    (await list(world)).map(({ agentId, state, tokensLastMinute, liveTokens }) => [
      agentId,
      state,
      tokensLastMinute,
      liveTokens.count,
    ]),
    [
      [stopped.id, 'disabled', 2, 0],
      [gone.id, 'deleted', 1, 0],
    ],
  )
})

test('the numbers survive a restart, and two processes on one store add up', async t => {
  const world = await makeTestStore(null)
  let opened = world
  t.after(() => opened.dispose())
  const agent = await createAgent(world.store)
  await issueCounted(world, agent, 2)
  opened = await world.reopen(null)
  await issueCounted(opened, agent, 3)
  assert.deepEqual(await tokensOf(opened), [5, 5, 5])
  const { file, clock } = opened
  const beside = await openTestedStore({ file, clock, retention: null })
  try {
    const number = await numberOf(opened, agent)
    const ids = await issue(opened.store, agent, {}, {})
    for (const store of [opened.store, beside]) for (const { id } of ids) store.usage.countIssued(number, id)
    await Promise.all([opened.store.settle(), beside.settle()])
    assert.deepEqual(await tokensOf(opened), [9, 9, 9])
    assert.deepEqual(await tokensOf({ store: beside }), [9, 9, 9])
  } finally {
    await beside.close()
  }
})

test('live tokens are exact to a bound, over all lifetimes, and then at least so many', async t => {
  const world = await makeWorld(t)
  const { store } = world
  const agent = await createAgent(store)
  await issueCounted(world, agent, COUNT_EXACT_MAX - 1)
  await issue(store, agent, {})
  assert.deepEqual((await list(world))[0]?.liveTokens, { count: COUNT_EXACT_MAX, isExact: true })
  await issue(store, agent, {})
  assert.deepEqual((await list(world))[0]?.liveTokens, { count: COUNT_EXACT_MAX, isExact: false })
})

test('what an open cut-off covers is not live, and what is beyond the judged rows is at least so many', async t => {
  const world = await makeWorld(t)
  const { store } = world
  const [ended, other] = [await createAgent(store), await createAgent(store)]
  await issueCounted(world, ended, 3)
  await issueCounted(world, other, COUNT_JUDGED_MAX, 'db:write')
  await store.ledger.endAll({ ...NO_CONDITION, scope: 'db:read' }, 'bulk_revocation', act('token.revoke'))
  const live = async () => (await list(world)).map(({ liveTokens }) => liveTokens)
  assert.deepEqual(await live(), [
    { count: COUNT_JUDGED_MAX, isExact: true },
    { count: 0, isExact: true },
  ])
  await issue(store, other, { scope: 'db:write' })
  assert.deepEqual((await live())[0], { count: COUNT_JUDGED_MAX, isExact: false })
})

test('a clock that was set back forgets what another clock counted', async t => {
  const world = await makeTestStore(null)
  let opened = world
  t.after(() => opened.dispose())
  const agent = await createAgent(world.store)
  await issueCounted(world, agent, 2)
  await world.store.close()
  world.clock.advance(-HOUR_MS)
  await resetTestedClock(world, act('clock.reset'))
  opened = await world.reopen(null)
  assert.deepEqual(await list(opened), [])
  await issueCounted(opened, agent, 1)
  assert.deepEqual(await tokensOf(opened), [1, 1, 1])
})

testEmbedded('slots that were kept long enough are removed, in steps', async t => {
  const world = await makeWorld(t)
  const { clock, file, store } = world
  const retain = () =>
    withWritingConnection(world, connection => inTransaction(connection, tx => retentionStep(tx, KEEP_LONG)))
  await issueCounted(world, await createAgent(store), 1)
  await store.settle()
  assert.equal(countRows(file, 'agent_usage'), 3)
  clock.advance(HOUR_MS)
  retain()
  assert.equal(countRows(file, 'agent_usage'), 3)
  clock.advance(2 * MINUTE_MS)
  retain()
  assert.equal(countRows(file, 'agent_usage'), 2)
  clock.advance(3 * MINUTE_MS)
  retain()
  assert.equal(countRows(file, 'agent_usage'), 1)
  clock.advance(24 * HOUR_MS)
  retain()
  retain()
  assert.equal(countRows(file, 'agent_usage'), 0)
  assert.equal(readNumber(file, 'select count(*) from agent'), 1)
})

test('the live tokens of the status are of no later moment than the status itself', async t => {
  const { store, clock } = await makeWorld(t)
  await issueCounted({ store }, await createAgent(store), 1)
  const asked = store.usage.status()
  const done = asked.then(() => true)
  while (!(await Promise.race([done, turn(false)]))) clock.advance(1)
  const { at, liveTokens } = await asked
  assert.ok(liveTokens !== null && liveTokens.at <= at, `${liveTokens?.at} is after ${at}`)
})
