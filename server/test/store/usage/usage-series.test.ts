// What ended over time and what expires soon, in the store: exact up to a bound, by reason and point, each statement by an index.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COUNT_EXACT_MAX } from '../../../../api/values/lists.ts'
import { statementsDuring } from '../../../../testkit/stores/asked-statements.ts'
import { run } from '../../../src/store/statement-program.ts'
import { act, createAgent, issue, makeTestStore, testEmbedded } from '../../../../testkit/stores/store.ts'
import { newApiKey } from '../../../../testkit/stores/new-things.ts'
import { inTransaction, withWritingConnection } from '../../../../testkit/stores/store-file.ts'
import { planOf } from '../lists/list-plans.ts'

const MINUTE_MS = 60_000
const ALL = { over: '1h', agentId: null } as const

test('ends stand in their minute, by reason, of all agents and of each', async t => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  const { store, clock } = world
  const [one, two] = [await createAgent(store), await createAgent(store)]
  for (const agent of [one, two]) await issue(store, agent, {}, {}, {})
  clock.advance(MINUTE_MS - (clock.wall() % MINUTE_MS))
  await store.agents.disable(one.id, act('agent.disable'))
  clock.advance(2 * MINUTE_MS - 1)
  await store.agents.delete(two.id, act('agent.delete'))
  const endsOf = async (agentId: string | null) => {
    const series = await store.usage.series({ ...ALL, agentId })
    return series?.points.flatMap(({ ended }, n) =>
      ended.map(({ reason, count, isExact }) => [n, reason, count, isExact]),
    )
  }
  const [disabled, deleted] = [
    [59, 'agent_disabled', 3, true],
    [60, 'agent_deleted', 3, true],
  ]
  assert.deepEqual(await endsOf(null), [disabled, deleted])
  assert.deepEqual([await endsOf(one.id), await endsOf(two.id)], [[disabled], [deleted]])
  assert.equal(await endsOf('019aa5f0-7c3e-7b1a-9c55-8f4f0d2b6a31'), undefined)
})

test('what expires soon is read once for all who ask together', async t => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  const { store, clock } = world
  await store.apiKeys.create({ ...newApiKey(), expiry: { at: clock.wall() + MINUTE_MS } }, act('api_key.create'))
  const [[first], [second]] = await Promise.all([store.usage.listExpiring(), store.usage.listExpiring()])
  assert.ok(first !== undefined && first === second)
})

const FILL = `with recursive n(n) as (select 1 union all select n + 1 from n where n < ?)
  insert into ended (id, life, agent, cred, key, scope, aud, at, reason, act)
    select cast(printf('%08d%08d', ?, n) as blob), 300, 1, 1, 1, 1, 1, ?, 1, 1 from n`

testEmbedded('beyond a bound there are at least so many ends', async t => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  const minute = MINUTE_MS * Math.floor(world.clock.wall() / MINUTE_MS)
  withWritingConnection(world, connection =>
    inTransaction(connection, function* () {
      yield* run(FILL, COUNT_EXACT_MAX, 1, minute - 2 * MINUTE_MS)
      yield* run(FILL, 2, 2, minute - 1)
      yield* run(FILL, COUNT_EXACT_MAX + 1, 3, minute)
    }),
  )
  const series = await world.store.usage.series(ALL)
  assert.deepEqual(
    series?.points.slice(-3).map(({ ended }) => ended.map(({ count, isExact }) => [count, isExact])),
    [[[COUNT_EXACT_MAX, true]], [[2, true]], [[COUNT_EXACT_MAX, false]]],
  )
})

testEmbedded('series and looks of the console seek in an index, and read nothing outside of their window', async t => {
  const { store, file, dispose } = await makeTestStore(null)
  t.after(dispose)
  const agent = await createAgent(store)
  const [token] = await issue(store, agent, {})
  assert.ok(token)
  await store.ledger.end(token, 'manual_revocation', act('token.revoke'))
  const asked = await statementsDuring(async () => {
    for (const agentId of [null, agent.id]) await store.usage.series({ ...ALL, agentId })
    await store.sessions.readNews([])
    // The newest act is the last row of its table.
  }, /from (?:agent_usage|token_use|ended|token)\s/)
  assert.equal(asked.length, 11)
  for (const statement of asked) {
    const plan = planOf(file, statement)
    assert.match(plan[0] ?? '', /^(SEARCH|CO-ROUTINE)/, statement)
    assert.ok(!plan.some(line => /^SCAN (agent|ended|token)|TEMP B-TREE FOR ORDER/.test(line)), plan.join())
  }
})
