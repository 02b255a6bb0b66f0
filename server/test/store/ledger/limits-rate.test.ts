// So many tokens a minute and a day: counted in the transactions that write them, in a window that slides.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { issuedAtOf } from '../../../src/domain/ledger/claims.ts'
import { groupCommit } from '../../../src/store/sqlite/writer/writer-queue.ts'
import { packTokens } from '../../../src/store/sqlite/writer/jobs.ts'
import { monotonicMs } from '../../../src/store/clocks.ts'
import { changeIn, openElsewhere } from '../../../../testkit/stores/agent-world.ts'
import { ask, limited, upTo } from '../../../../testkit/stores/limited-agents.ts'
import {
  act,
  createAgent,
  KEEP_LONG,
  makeTestStore,
  newTokens,
  resetTestedClock,
  testEmbedded,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { countRows, withFile, withWritingConnection } from '../../../../testkit/stores/store-file.ts'

const SECOND = 1000
const MINUTE = 60_000
const DAY = 86_400_000

const open = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return world
}

const minuteReached = (retryAfterSeconds: number) => ({ limit: 'tokensPerMinute', retryAfterSeconds }) as const
const dayReached = (retryAfterSeconds: number) => ({ limit: 'tokensPerDay', retryAfterSeconds }) as const

test('of a group at the edge exactly as many tokens are granted as fit, and the next one when Retry-After has passed', async t => {
  const { store, clock } = await open(t)
  const agent = await limited(store, { tokensPerMinute: 3 })
  const { outcomes } = await ask(store, agent, 5)
  assert.deepEqual(outcomes, upTo(3, 2, minuteReached(61)))
  clock.advance(61 * SECOND - 1)
  assert.deepEqual((await ask(store, agent)).outcomes, [minuteReached(1)])
  clock.advance(1)
  assert.deepEqual((await ask(store, agent, 4)).outcomes, upTo(3, 1, minuteReached(61)))
})

test('the window slides: at no edge are there more tokens within 60 seconds than the limit', async t => {
  const { store, clock } = await open(t)
  const agent = await limited(store, { tokensPerMinute: 10 })
  const issuedAt: number[] = []
  for (let n = 0; n < 60; n += 1) {
    const { got } = await ask(store, agent, n % 3)
    issuedAt.push(...got.map(({ id }) => issuedAtOf(id)))
    clock.advance(4700)
  }
  assert.ok(issuedAt.length > 30)
  issuedAt.forEach((at, n) => {
    const before = issuedAt[n - 10]
    assert.ok(before === undefined || at - before >= MINUTE, `${before} and ${at}`)
  })
})

test('a day is counted apart from a minute, and the longer wait is returned', async t => {
  const { store, clock } = await open(t)
  const agent = await limited(store, { tokensPerMinute: 2, tokensPerDay: 3 })
  assert.deepEqual((await ask(store, agent, 3)).outcomes, upTo(2, 1, minuteReached(61)))
  clock.advance(61 * SECOND)
  const wait = (DAY + 10 * MINUTE) / SECOND - 61
  assert.deepEqual((await ask(store, agent, 3)).outcomes, upTo(1, 2, dayReached(wait)))
  clock.advance(wait * SECOND - 1)
  assert.deepEqual((await ask(store, agent)).outcomes, [dayReached(1)])
  clock.advance(1)
  assert.deepEqual((await ask(store, agent)).outcomes, ['inserted'])
})

test('requests that are refused do not count', async t => {
  const { store, clock } = await open(t)
  const agent = await limited(store, { tokensPerMinute: 1 })
  assert.deepEqual((await ask(store, agent)).outcomes, ['inserted'])
  for (let n = 0; n < 6; n += 1) {
    clock.advance(10 * SECOND)
    assert.deepEqual((await ask(store, agent, 5)).outcomes, upTo(0, 5, minuteReached(61 - 10 * (n + 1))))
  }
  clock.advance(SECOND)
  assert.deepEqual((await ask(store, agent)).outcomes, ['inserted'])
})

test('agents in one group are counted each for itself, and one without limits is not counted at all', async t => {
  const world = await open(t)
  const { store, file } = world
  const [few, more, free] = [
    await limited(store, { tokensPerMinute: 1 }),
    await limited(store, { tokensPerMinute: 2 }),
    await createAgent(store),
  ]
  const tokens = (await Promise.all([few, more, free].map(agent => newTokens(store, agent, [{}, {}, {}])))).flat()
  const mixed = [0, 3, 6, 1, 4, 7, 2, 5, 8].map(n => tokens[n]).filter(token => token !== undefined)
  const outcomes = await store.ledger.insert(mixed)
  const reached = minuteReached(61)
  assert.deepEqual(outcomes, [
    'inserted',
    'inserted',
    'inserted',
    // The second of each.
    reached,
    'inserted',
    'inserted',
    reached,
    reached,
    'inserted',
  ])
  assert.equal(countRows(file, 'issue_count'), 2)
})

testEmbedded('two jobs of one transaction share a limit, and one that is rolled back counts nothing', async t => {
  const world = await open(t)
  const { store } = world
  const agent = await limited(store, { tokensPerMinute: 3, liveTokensMax: 3 })
  const job = async (count: number) => {
    const tokens = await newTokens(
      store,
      agent,
      Array.from({ length: count }, () => ({})),
    )
    return {
      n: 1,
      sentAt: 0,
      deadline: monotonicMs() + 60_000,
      job: 'insertTokens',
      input: packTokens(tokens),
    } as const
  }
  const [first, same, second] = [await job(1), await job(1), await job(3)]
  // The same token again breaks the key of the ledger: the whole job is rolled back.
  const broken = { ...same, input: { ...same.input, rows: doubled(same.input.rows) } }
  withWritingConnection(world, connection => {
    const replies = groupCommit(connection, [first, broken, second])
    assert.ok('failure' in (replies[1] ?? {}))
    const outcomes = replies.map(reply => ('value' in reply ? reply.value : []))
    assert.deepEqual(outcomes, [['inserted'], [], upTo(2, 1, { limit: 'liveTokensMax', retryAfterSeconds: 300 })])
  })
  assert.equal(countRows(world.file, 'token'), 3)
})

test('what is written under the lock of a caller is held to the limits too, and counts nothing where it fails', async t => {
  const { store } = await open(t)
  const agent = await limited(store, { tokensPerMinute: 3, liveTokensMax: 3 })
  await ask(store, agent)
  const [token] = await newTokens(store, agent, [{}])
  assert.ok(token !== undefined)
  await assert.rejects(store.ledger.exclusively(ledger => ledger.insert([token, token])))
  const wanted = await newTokens(store, agent, [{}, {}, {}])
  const outcomes = await store.ledger.exclusively(ledger => ledger.insert(wanted))
  assert.deepEqual(outcomes, upTo(2, 1, { limit: 'liveTokensMax', retryAfterSeconds: 300 }))
})

const doubled = (rows: ArrayBuffer): ArrayBuffer => {
  const bytes = new Uint8Array(2 * rows.byteLength)
  bytes.set(new Uint8Array(rows))
  bytes.set(new Uint8Array(rows), rows.byteLength)
  return bytes.buffer
}

test('a restart forgets no count', async t => {
  const world = await makeTestStore(KEEP_LONG)
  const agent = await limited(world.store, { tokensPerMinute: 2, tokensPerDay: 3 })
  await ask(world.store, agent, 2)
  const again = await world.reopen(KEEP_LONG)
  t.after(again.dispose)
  const { outcomes } = await ask(again.store, agent)
  assert.equal(typeof outcomes[0] === 'object' && outcomes[0].limit, 'tokensPerMinute')
  again.clock.advance(62 * SECOND)
  assert.equal((await ask(again.store, agent, 3)).got.length, 1)
})

test('of fifty callers of two processes exactly as many get a token as fit', async t => {
  const world = await open(t)
  const agent = await limited(world.store, { tokensPerMinute: 17 })
  const stores = [world.store, await openElsewhere(t, world)]
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => ask(stores[n % 2] ?? world.store, agent)))
  assert.equal(answers.flatMap(({ got }) => got).length, 17)
  assert.ok(answers.flatMap(({ outcomes }) => outcomes).every(one => one === 'inserted' || typeof one === 'object'))
})

test('a changed limit holds from its acknowledgement on, for what was decided before as well', async t => {
  const world = await open(t)
  const { store } = world
  const agent = await limited(store, { tokensPerMinute: 100 })
  const decided = await newTokens(store, agent, [{}, {}])
  await changeIn(store, agent, { tokensPerMinute: 1 })
  assert.deepEqual(await store.ledger.insert(decided), ['decide_again', 'decide_again'])
  assert.deepEqual((await ask(store, agent, 2)).outcomes, upTo(1, 1, minuteReached(61)))
  await changeIn(store, agent, { tokensPerMinute: 4 })
  assert.equal((await ask(store, agent, 9)).got.length, 3)
  await changeIn(store, agent, { tokensPerMinute: null })
  assert.equal((await ask(store, agent, 9)).got.length, 9)
})

test('a token that was decided on earlier and is written later counts at the time in its id', async t => {
  const { store, clock } = await open(t)
  const agent = await limited(store, { tokensPerMinute: 1 })
  const late = await newTokens(store, agent, [{}])
  clock.advance(3 * SECOND)
  assert.equal((await ask(store, agent)).got.length, 1)
  assert.deepEqual(await store.ledger.insert(late), [minuteReached(61)])
})

test('a clock that is set back wedges no agent', async t => {
  const world = await makeTestStore(null)
  const agent = await limited(world.store, { tokensPerMinute: 1, tokensPerDay: 1, liveTokensMax: 1 })
  await ask(world.store, agent)
  await world.store.close()
  world.clock.stepWall(-DAY)
  await resetTestedClock(world, act('clock.reset'))
  const again = await world.reopen(null)
  t.after(again.dispose)
  assert.deepEqual((await ask(again.store, agent)).outcomes, ['inserted'])
  const [refused] = (await ask(again.store, agent)).outcomes
  assert.ok(typeof refused === 'object' && refused.retryAfterSeconds <= 87_000, JSON.stringify(refused))
})

test('what is kept of an agent stays small however many tokens it gets, and goes with the agent', async t => {
  const { store, clock, file } = await open(t)
  const agent = await limited(store, { tokensPerMinute: 1_000_000 })
  for (let n = 0; n < 200; n += 1) {
    await ask(store, agent, 2)
    clock.advance(SECOND)
  }
  const select = 'select length(minute) + length(day) as bytes from issue_count'
  const size = () => withFile(file, db => db.prepare<{ bytes: number }>(select).get())?.bytes
  const bytes = size() ?? Infinity
  assert.ok(bytes <= 8 * (71 + 155), `${bytes} bytes`)
  await store.agents.delete(agent.id, act('agent.delete'))
  assert.equal(size(), undefined)
})
