// So many live tokens at once: an agent at its ceiling is refused, or its oldest tokens end for the new ones.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { LIMIT_BOUNDS } from '../../../../api/values/limits.ts'
import { NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import { backfillStep } from '../../../src/store/ledger/backfill.ts'
import { aliveOf, changeIn, endingsOf, openElsewhere } from '../../../../testkit/stores/agent-world.ts'
import { statementsDuring } from '../../../../testkit/stores/asked-statements.ts'
import { ask, limited, upTo } from '../../../../testkit/stores/limited-agents.ts'
import {
  act,
  KEEP_LONG,
  makeTestStore,
  newTokens,
  testEmbedded,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { inTransaction, readNumber, readRows, withWritingConnection } from '../../../../testkit/stores/store-file.ts'
import { planOf } from '../lists/list-plans.ts'

const PASSED_ROWS_MAX = 10_000
const SECOND = 1000

/** With `retention: null` what an act leaves open stays open. */
const open = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return world
}

const reached = (retryAfterSeconds: number) => ({ limit: 'liveTokensMax', retryAfterSeconds }) as const

const revoke = (store: TestStore['store'], address: { id: string; lifetimeSeconds: number } | undefined) => {
  assert.ok(address !== undefined)
  return store.ledger.end(address, 'manual_revocation', act('token.revoke'))
}

test('at the ceiling a token is refused until the oldest live one expires, and Retry-After says when', async t => {
  const { store, clock } = await open(t)
  const agent = await limited(store, { liveTokensMax: 2 })
  assert.equal((await ask(store, agent)).got.length, 1)
  clock.advance(10 * SECOND)
  assert.deepEqual((await ask(store, agent, 3)).outcomes, upTo(1, 2, reached(290)))
  clock.advance(290 * SECOND - 1)
  assert.deepEqual((await ask(store, agent)).outcomes, [reached(1)])
  clock.advance(1)
  assert.deepEqual((await ask(store, agent, 2)).outcomes, upTo(1, 1, reached(10)))
})

test('tokens of several lifetimes are counted together, and the first to expire makes room', async t => {
  const { store, clock } = await open(t)
  const agent = await limited(store, { liveTokensMax: 3 })
  for (const lifetimeSeconds of [600, 20, 300]) await ask(store, agent, 1, { lifetimeSeconds })
  assert.deepEqual((await ask(store, agent)).outcomes, [reached(20)])
  clock.advance(20 * SECOND)
  assert.deepEqual((await ask(store, agent, 2, { lifetimeSeconds: 5 })).outcomes, upTo(1, 1, reached(5)))
})

test('a token that is revoked leaves the count at once, in this process and in another', async t => {
  const world = await open(t)
  const { store } = world
  const elsewhere = await openElsewhere(t, world)
  const agent = await limited(store, { liveTokensMax: 2 })
  const { got } = await ask(store, agent, 2)
  assert.deepEqual((await ask(store, agent)).outcomes, [reached(300)])
  await revoke(store, got[0])
  assert.deepEqual((await ask(store, agent, 2)).outcomes, upTo(1, 1, reached(300)))
  await revoke(elsewhere, got[1])
  assert.deepEqual((await ask(store, agent, 2)).outcomes, upTo(1, 1, reached(300)))
  await revoke(store, got[0])
  assert.deepEqual((await ask(store, agent)).outcomes, [reached(300)], 'a second revocation makes no room')
})

for (const retention of [null, KEEP_LONG]) {
  const filled = retention === null ? 'while its rows have not followed' : 'while its rows follow'
  test(`what an act over many ended leaves the count at once, ${filled}`, async t => {
    const world = await makeTestStore(retention)
    t.after(world.dispose)
    const { store } = world
    const agent = await limited(store, { liveTokensMax: 300 })
    const n = readNumber(world.file, 'select n from agent')
    const acts = [{ agent: n }, { scope: 'db:read' }, { agent: n, audience: 'https://api.example' }, {}]
    for (const conditions of acts) {
      assert.equal((await ask(store, agent, 301)).got.length, 300)
      await store.ledger.endAll({ ...NO_CONDITION, ...conditions }, 'bulk_revocation', act('revocation.create'))
    }
    assert.equal((await ask(store, agent, 400)).got.length, 300)
    const kept = await ask(store, agent, 1)
    assert.equal(kept.got.length, 0)
  })
}

test('a cut-off that ends some of the tokens makes room for as many', async t => {
  const { store } = await open(t)
  const agent = await limited(store, { liveTokensMax: 200 })
  await ask(store, agent, 80, { scope: 'db:read' })
  await ask(store, agent, 120, { scope: 'db:write' })
  await store.ledger.endAll({ ...NO_CONDITION, scope: 'db:read' }, 'bulk_revocation', act('revocation.create'))
  assert.equal((await ask(store, agent, 200)).got.length, 80)
})

testEmbedded(
  'an agent whose live tokens are hidden behind too many dead rows passes for full until those have followed',
  async t => {
    const world = await open(t)
    const { store } = world
    const agent = await limited(store, {})
    await ask(store, agent, PASSED_ROWS_MAX + 2000, { scope: 'db:read' })
    await store.ledger.endAll({ ...NO_CONDITION, scope: 'db:read' }, 'bulk_revocation', act('revocation.create'))
    await changeIn(store, agent, { liveTokensMax: 5 })
    assert.deepEqual((await ask(store, agent, 6)).outcomes, upTo(0, 6, reached(1)))
    world.clock.advance(SECOND - 1)
    assert.deepEqual((await ask(store, agent)).outcomes, [reached(1)])
    withWritingConnection(world, connection => {
      while (inTransaction(connection, backfillStep) === 'more');
    })
    assert.deepEqual((await ask(store, agent, 6)).outcomes, upTo(5, 1, reached(300)))
  },
)

test('a restart forgets no live token', async t => {
  const world = await makeTestStore(KEEP_LONG)
  const agent = await limited(world.store, { liveTokensMax: 3 })
  await ask(world.store, agent, 2)
  const again = await world.reopen(KEEP_LONG)
  t.after(again.dispose)
  assert.equal((await ask(again.store, agent, 3)).got.length, 1)
})

test('of fifty callers of two processes exactly as many get a token as may live', async t => {
  const world = await open(t)
  const stores = [world.store, await openElsewhere(t, world)]
  for (const atLiveTokensMax of ['refuse', 'supersede'] as const) {
    const agent = await limited(world.store, { liveTokensMax: 17, atLiveTokensMax })
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => ask(stores[n % 2] ?? world.store, agent)))
    const got = answers.flatMap(one => one.got)
    assert.equal(got.length, atLiveTokensMax === 'refuse' ? 17 : 50)
    assert.equal((await aliveOf(world.store, got)).filter(Boolean).length, 17)
  }
})

test('superseding ends the tokens that were issued first, each once, and they are dead from the acknowledgement on', async t => {
  const { store, clock } = await open(t)
  const agent = await limited(store, { liveTokensMax: 3, atLiveTokensMax: 'supersede' })
  const issued = []
  for (let n = 0; n < 8; n += 1) {
    // The oldest is the one issued first, not the one that expires first.
    const { got } = await ask(store, agent, 1, { lifetimeSeconds: 600 - 50 * n })
    issued.push(...got)
    const alive = await aliveOf(store, issued)
    assert.deepEqual(
      alive,
      issued.map((_, m) => m > n - 3),
    )
    clock.advance(SECOND)
  }
  const ended = await endingsOf(store, agent)
  assert.deepEqual(
    ended,
    issued
      .slice(0, 5)
      .toReversed()
      .map(({ id }) => ({ id, reason: 'superseded', endedBy: { type: 'system' } })),
  )
})

test('a request that is refused for its proof supersedes nothing', async t => {
  const { store, clock } = await open(t)
  const agent = await limited(store, { liveTokensMax: 1, atLiveTokensMax: 'supersede' })
  const proof = { id: 'ab'.repeat(16), until: clock.wall() + 60_000 }
  const [first, again] = (await newTokens(store, agent, [{}, {}])).map(token => ({ ...token, proof }))
  assert.ok(first && again)
  assert.deepEqual(await store.ledger.insert([first]), ['inserted'])
  assert.deepEqual(await store.ledger.insert([again]), ['proof_used'])
  assert.deepEqual(await aliveOf(store, [first]), [true])
})

test('a group that asks for more than may live gets each token, and the last ones live', async t => {
  const { store, file } = await open(t)
  const agent = await limited(store, { liveTokensMax: 2, atLiveTokensMax: 'supersede' })
  const { got } = await ask(store, agent, 5)
  assert.equal(got.length, 5)
  assert.deepEqual((await aliveOf(store, got)).filter(Boolean).length, 2)
  assert.equal((await aliveOf(store, got)).at(-1), true)
  assert.equal((await endingsOf(store, agent)).length, 3)
  assert.equal(readRows(file, `select 1 from act where kind = 'token.supersede'`).length, 1)
})

test('superseding passes over tokens that something else ended, and makes room only where none is', async t => {
  const { store, clock } = await open(t)
  const agent = await limited(store, { liveTokensMax: 100, atLiveTokensMax: 'supersede' })
  const read = await ask(store, agent, 70, { scope: 'db:read' })
  clock.advance(1)
  const write = await ask(store, agent, 30, { scope: 'db:write' })
  await store.ledger.endAll({ ...NO_CONDITION, scope: 'db:read' }, 'bulk_revocation', act('revocation.create'))
  await revoke(store, write.got[0])
  clock.advance(1)
  const more = await ask(store, agent, 73)
  assert.deepEqual((await aliveOf(store, read.got)).filter(Boolean), [])
  assert.equal((await aliveOf(store, write.got)).filter(Boolean).length, 27)
  assert.equal((await aliveOf(store, more.got)).filter(Boolean).length, 73)
  const reasons = (await endingsOf(store, agent)).map(({ reason }) => reason)
  const count = (reason: string) => reasons.filter(one => one === reason).length
  assert.deepEqual(['bulk_revocation', 'manual_revocation', 'superseded'].map(count), [70, 1, 2])
})

test('a rate refuses before anything is superseded', async t => {
  const { store } = await open(t)
  const agent = await limited(store, { tokensPerMinute: 1, liveTokensMax: 1, atLiveTokensMax: 'supersede' })
  const { got } = await ask(store, agent, 3)
  assert.deepEqual(await aliveOf(store, got), [true])
  assert.deepEqual(await endingsOf(store, agent), [])
})

test('a lowered ceiling ends nothing where the agent is refused, and the oldest at once where they are superseded', async t => {
  const { store, clock } = await open(t)
  const agent = await limited(store, { liveTokensMax: 200 })
  const issued = []
  for (let n = 0; n < 200; n += 1) {
    issued.push(...(await ask(store, agent)).got)
    clock.advance(1)
  }
  await changeIn(store, agent, { liveTokensMax: 100 })
  assert.equal((await aliveOf(store, issued)).filter(Boolean).length, 200)
  assert.deepEqual((await ask(store, agent)).outcomes, [reached(300)])
  await changeIn(store, agent, { atLiveTokensMax: 'supersede' })
  assert.deepEqual(
    await aliveOf(store, issued),
    issued.map((_, n) => n >= 100),
  )
  assert.deepEqual(new Set((await endingsOf(store, agent)).map(({ reason }) => reason)), new Set(['superseded']))
  await ask(store, agent)
  assert.deepEqual(
    await aliveOf(store, issued),
    issued.map((_, n) => n >= 101),
  )
})

test('tokens of one instant beyond a lowered ceiling end with the next that is issued', async t => {
  const { store, clock } = await open(t)
  const agent = await limited(store, {})
  const { got } = await ask(store, agent, 20)
  await changeIn(store, agent, { liveTokensMax: 5, atLiveTokensMax: 'supersede' })
  clock.advance(1)
  const next = await ask(store, agent)
  assert.equal((await aliveOf(store, [...got, ...next.got])).filter(Boolean).length, 5)
  assert.deepEqual(await aliveOf(store, next.got), [true])
})

test('where more live than may, room comes when so many have expired that one fits', async t => {
  const { store, clock } = await open(t)
  const agent = await limited(store, {})
  for (let n = 0; n < 30; n += 1) {
    await ask(store, agent, 100)
    clock.advance(SECOND)
  }
  await changeIn(store, agent, { liveTokensMax: 250 })
  // The last but two hundred and forty-nine of them was issued in the 28th of thirty groups, 3 s ago.
  assert.deepEqual((await ask(store, agent)).outcomes, [reached(297)])
  clock.advance(297 * SECOND - 1)
  assert.deepEqual((await ask(store, agent)).outcomes, [reached(1)])
  clock.advance(1)
  assert.equal((await ask(store, agent, 100)).got.length, 50)
})

test('a raised ceiling holds exactly where more live than the one before asked to know of', async t => {
  const { store } = await open(t)
  const agent = await limited(store, {})
  await ask(store, agent, 1500)
  for (const liveTokensMax of [100, 1200, 1500]) {
    await changeIn(store, agent, { liveTokensMax })
    assert.deepEqual((await ask(store, agent)).outcomes, [reached(300)])
  }
  await changeIn(store, agent, { liveTokensMax: 1502 })
  assert.deepEqual((await ask(store, agent, 3)).outcomes, upTo(2, 1, reached(300)))
})

test('the highest ceiling holds exactly', async t => {
  const { store } = await open(t)
  const max = LIMIT_BOUNDS.liveTokensMax
  const agent = await limited(store, { liveTokensMax: max })
  assert.equal((await ask(store, agent, max + 5)).got.length, max)
})

testEmbedded('live tokens are read by the index of their agent, and never sorted by the store', async t => {
  const { store, file } = await open(t)
  const agent = await limited(store, { liveTokensMax: 1, atLiveTokensMax: 'supersede' })
  const asked = await statementsDuring(async () => {
    for (let n = 0; n < 2; n += 1) await ask(store, agent)
  }, /token_agent/)
  const plan = 'SEARCH token USING INDEX token_agent (agent=? AND life=? AND id>? AND id<?)'
  assert.deepEqual(
    asked.map(text => planOf(file, text)),
    [[plan], [plan]],
  )
})
