// Retention: what was kept long enough goes, in steps, and nothing goes that a record still needs.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import { RETENTION_ROWS, type Retention } from '../../../src/store/retention.ts'
import { retentionStep } from '../../../src/store/sqlite/writer/maintenance.ts'
import {
  act,
  createAgent,
  issue,
  makeTestStore,
  newTokens,
  NO_HISTORY_FILTERS,
  START,
  type TestAgent,
  type TestStore,
  type TokenWish,
} from '../../../../testkit/stores/store.ts'
import { makePrincipals } from '../../../../testkit/stores/principals.ts'
import {
  countRows,
  inTransaction,
  readRows,
  withFile,
  withWritingConnection,
} from '../../../../testkit/stores/store-file.ts'

const DAY_MS = 86_400_000
const RETENTION: Retention = { expiredMs: 10_000, endedMs: 5 * DAY_MS }
const REVOKE = act('token.revoke')
const FEW = 64

const makeWorld = async (t: TestContext): Promise<TestStore & { readonly agent: TestAgent }> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return { ...world, agent: await createAgent(world.store) }
}

const wishes = (count: number, wish: TokenWish): readonly TokenWish[] => Array.from({ length: count }, () => wish)

/** Moves the wall clock to the instant as days would pass: with the store closed, and its lease behind. */
const at = (world: TestStore, instant: number): void => world.clock.advance(instant - world.clock.wall())

const step = (world: TestStore): 'more' | 'nothing_left' =>
  withWritingConnection(world, connection => inTransaction(connection, tx => retentionStep(tx, RETENTION)))

/** Runs retention to its end; how many steps it took. */
const retain = (world: TestStore): number => {
  let steps = 1
  while (step(world) === 'more') steps += 1
  return steps
}

test('a token that expired is kept for its time to the second and then removed', async t => {
  const world = await makeWorld(t)
  const { store, agent, clock, file } = world
  clock.advance(500) // the expiry counts from the whole second
  await issue(store, agent, { lifetimeSeconds: 60 })
  at(world, START + 60_000 + RETENTION.expiredMs - 1)
  retain(world)
  assert.equal(countRows(file, 'token'), 1)
  clock.advance(1)
  retain(world)
  assert.equal(countRows(file, 'token'), 0)
})

test('a token that was ended is kept for its time and then removed, whatever its reason', async t => {
  const world = await makeWorld(t)
  const { store, agent, file } = world
  const [one] = await issue(store, agent, {}, {})
  assert.ok(one)
  await store.ledger.end(one, 'manual_revocation', REVOKE)
  await store.agents.disable(agent.id, act('agent.disable'))
  at(world, START + RETENTION.endedMs)
  retain(world)
  assert.equal(countRows(file, 'ended'), 2)
  world.clock.advance(1)
  retain(world)
  assert.equal(countRows(file, 'ended') + countRows(file, 'act') + countRows(file, 'cutoff'), 0)
  assert.ok(countRows(file, 'audit') > 0, 'the audit stays')
})

test('a minute is remembered until the last token that was ended in it is removed', async t => {
  const world = await makeWorld(t)
  const { store, agent, file, clock } = world
  const [one, other] = await issue(store, agent, {}, {})
  assert.ok(one !== undefined && other !== undefined)
  await store.ledger.end(one, 'manual_revocation', REVOKE)
  clock.advance(59_999)
  await store.ledger.end(other, 'manual_revocation', REVOKE)
  const counts = () => [countRows(file, 'ended'), countRows(file, 'ended_minute')]
  at(world, START + RETENTION.endedMs + 1)
  retain(world)
  assert.deepEqual(counts(), [1, 1])
  clock.advance(59_998)
  retain(world)
  assert.deepEqual(counts(), [1, 1])
  clock.advance(1)
  retain(world)
  assert.deepEqual(counts(), [0, 0])
})

test('a span of an audience set is remembered until no token of that time is left, also where the set is used since', async t => {
  const world = await makeWorld(t)
  const { store, agent, file, clock } = world
  const spans = () => countRows(file, 'audience_span')
  await issue(store, agent, {})
  clock.advance(RETENTION.endedMs)
  await issue(store, agent, {})
  retain(world)
  assert.equal(spans(), 2)
  clock.advance(3 * DAY_MS)
  await issue(store, agent, {})
  retain(world)
  assert.equal(spans(), 2)
})

test('a principal is remembered until no token that acted for it is left', async t => {
  const world = await makeWorld(t)
  const { store, agent, file, clock } = world
  const [principal] = await makePrincipals(file)
  const issueFor = async () => {
    const [token] = await newTokens(store, agent, [{}])
    assert.ok(token && principal)
    assert.deepEqual(await store.ledger.insert([{ ...token, principal: principal.asked }]), ['inserted'])
  }
  await issueFor()
  clock.advance(DAY_MS)
  await issueFor()
  clock.advance(RETENTION.endedMs + 2 * DAY_MS)
  retain(world)
  assert.equal(countRows(file, 'principal'), 1)
  clock.advance(DAY_MS)
  retain(world)
  assert.deepEqual([countRows(file, 'token'), countRows(file, 'principal')], [0, 0])
})

test('a subject stays blocked when its principal is forgotten, and goes with its issuer', async t => {
  const world = await makeWorld(t)
  const { store, agent, file, clock } = world
  const [alice, , , , ofAnother] = await makePrincipals(file)
  assert.ok(alice && ofAnother)
  const ask = async () => {
    const [token] = await newTokens(store, agent, [{}])
    assert.ok(token)
    return (await store.ledger.insert([{ ...token, principal: alice.asked }]))[0]
  }
  assert.equal(await ask(), 'inserted')
  for (const { shown } of [alice, ofAnother]) await store.issuers.block(shown, act('subject.block'))
  clock.advance(RETENTION.endedMs + 3 * DAY_MS)
  retain(world)
  assert.equal(countRows(file, 'principal'), 0)
  assert.equal(await ask(), 'subject_blocked')
  await store.issuers.delete(ofAnother.shown.issuer, act('issuer.delete'))
  retain(world)
  assert.deepEqual(readRows(file, 'select issuer, sub from blocked_subject'), [alice.asked])
})

test('many rows go in steps of a bounded size, each of which says whether more is left', async t => {
  const world = await makeWorld(t)
  const { store, agent, file } = world
  for (const lifetimeSeconds of [60, 61])
    await issue(store, agent, ...wishes(RETENTION_ROWS + 100, { lifetimeSeconds }))
  at(world, START + 3600_000)
  const left: number[] = []
  while (step(world) === 'more') left.push(countRows(file, 'token'))
  assert.deepEqual(left, [700, 600, 100, 0])
  for (const _ of [1, 2]) await issue(store, agent, ...wishes(400, { lifetimeSeconds: 60 }))
  await store.agents.disable(agent.id, act('agent.disable'))
  withFile(file, db =>
    db.exec(`insert into ended select id, life, agent, cred, key, scope, aud, at, 4, 1, null, null, null, null from
    (select token.*, ${START} as at from token); delete from token; update cutoff set state = 'closed'`),
  )
  at(world, START + 3600_000 + RETENTION.endedMs)
  const ended: number[] = []
  while (step(world) === 'more') ended.push(countRows(file, 'ended'))
  assert.deepEqual(ended.slice(0, 2), [300, 0])
})

test('a lifetime is free again once its last token was removed, and no earlier', async t => {
  const world = await makeWorld(t)
  const { store, agent, file } = world
  await issue(store, agent, ...Array.from({ length: 16 }, (_, n) => ({ lifetimeSeconds: 60 + n })))
  const lifetimes = () => readRows(file, 'select life from lifetime order by life').map(row => row['life'])
  at(world, START + 60_000 + RETENTION.expiredMs)
  retain(world)
  assert.deepEqual(
    lifetimes(),
    Array.from({ length: 15 }, (_, n) => 61 + n),
  )
  await issue(store, agent, { lifetimeSeconds: 1000 })
  assert.equal(lifetimes().length, 16)
})

test('scope and audience sets go once no record can name them; a token that uses one again gets a record that reads', async t => {
  const world = await makeWorld(t)
  const { store, agent, file } = world
  await issue(store, agent, { scope: 'db:old', audience: ['https://old.example'] })
  const sets = () => ['scope_set', 'scope_set_item', 'audience_set'].map(table => countRows(file, table))
  at(world, START + RETENTION.endedMs + 2 * DAY_MS)
  await issue(store, agent, { scope: 'db:new', audience: ['https://new.example'] })
  retain(world)
  assert.deepEqual(sets(), [2, 2, 2], 'a record ended on the last day may still name them')
  world.clock.advance(DAY_MS)
  retain(world)
  assert.deepEqual(sets(), [1, 1, 1])
  const tokens = await issue(store, agent, { scope: 'db:old', audience: ['https://old.example'] })
  assert.deepEqual(
    (await store.ledger.find(tokens)).map(token => [token?.scope, token?.audience]),
    [['db:old', ['https://old.example']]],
  )
})

test('a set that is used again each day is never removed', async t => {
  const world = await makeWorld(t)
  const { store, agent, file } = world
  for (let day = 0; day < 12; day += 1) {
    await issue(store, agent, { lifetimeSeconds: 60 })
    world.clock.advance(DAY_MS)
    retain(world)
  }
  assert.deepEqual([countRows(file, 'scope_set'), countRows(file, 'audience_set')], [1, 1])
})

test('every record that is kept can be read: its act and its sets are kept with it', async t => {
  const world = await makeWorld(t)
  const { store, agent } = world
  for (let day = 0; day < 12; day += 1) {
    const wish = { lifetimeSeconds: 86_400, scope: `db:day${day}`, audience: [`https://day${day}.example`] }
    const [token] = await issue(store, agent, wish)
    assert.ok(token)
    world.clock.advance(DAY_MS - 1) // the last moment at which it can be ended
    assert.equal(await store.ledger.end(token, 'manual_revocation', REVOKE), 'ended')
    world.clock.advance(1)
    retain(world)
    const request = { filters: NO_HISTORY_FILTERS, audiences: null, after: null, limit: 100 }
    const { records } = await store.ledger.listEnded(request)
    assert.deepEqual(
      records.map(({ scope, endedBy }) => [scope, endedBy]),
      Array.from({ length: Math.min(day + 1, 5) }, (_, n) => [`db:day${day - n}`, REVOKE.actor]),
    )
  }
})

test('while a cut-off is open nothing is removed', async t => {
  const world = await makeWorld(t)
  const { store, agent, file } = world
  await issue(store, agent, ...wishes(FEW + 1, { lifetimeSeconds: 60 }))
  await store.ledger.endAll({ ...NO_CONDITION, agent: 1 }, 'agent_disabled', REVOKE)
  at(world, START + 500 * DAY_MS)
  assert.equal(retain(world), 1)
  assert.equal(countRows(file, 'token'), FEW + 1)
})

test('a service in work removes by itself what was kept long enough', async t => {
  const before = await makeWorld(t)
  for (const _ of [1, 2]) await issue(before.store, before.agent, ...wishes(400, { lifetimeSeconds: 60 }))
  at(before, START + 3600_000)
  const world = await before.reopen(RETENTION)
  t.after(world.dispose)
  for (let turns = 0; turns < 1000 && countRows(world.file, 'token') > 0; turns += 1) {
    assert.equal(await world.store.health.check(), null)
  }
  assert.equal(countRows(world.file, 'token'), 0)
})
