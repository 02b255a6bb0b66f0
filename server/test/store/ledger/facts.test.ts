// What the store reports of its state: the number of live tokens, and what will need an operator.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { NO_CONDITIONS } from '../../../src/domain/ledger/revocation.ts'
import { until } from '../../../../testkit/processes/until.ts'
import { statementsDuring } from '../../../../testkit/stores/asked-statements.ts'
import { planOf } from '../lists/list-plans.ts'
import { withFile } from '../../../../testkit/stores/store-file.ts'
import {
  act,
  createAgent,
  issue,
  makeTestStore,
  START,
  testEmbedded,
  type TestStore,
} from '../../../../testkit/stores/store.ts'

const open = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return world
}

test('fewer live tokens are counted exactly, and not once they have expired or were ended', async t => {
  const { store, clock } = await open(t)
  const agent = await createAgent(store)
  assert.equal((await store.facts()).liveTokens?.count, 0)
  const [first] = await issue(store, agent, {}, {}, { lifetimeSeconds: 600 })
  assert.equal((await store.facts()).liveTokens?.count, 3)
  assert.ok(first)
  await store.ledger.end(first, 'manual_revocation', act('token.revoke'))
  assert.equal((await store.facts()).liveTokens?.count, 2)
  clock.advance(301_000)
  assert.equal((await store.facts()).liveTokens?.count, 1)
})

test('live tokens are counted in bursts and of every lifetime, without those that an open cut-off has ended', async t => {
  const { store, clock } = await open(t)
  const [first, second] = [await createAgent(store), await createAgent(store)]
  const burst = (agent: typeof first, lifetimeSeconds: number) =>
    issue(store, agent, ...Array.from({ length: 500 }, () => ({ lifetimeSeconds })))
  for (let n = 0; n < 22; n += 1) await burst(first, 3600)
  for (let n = 0; n < 3; n += 1) {
    clock.advance(100_000)
    await burst(second, 300)
  }
  await burst(second, 3600)
  clock.advance(100_000)
  const counted = (await store.facts()).liveTokens
  assert.deepEqual(counted, { count: 11_000 + 1000 + 500, at: START + 400_000 })
  await store.agents.disable(first.id, act('agent.disable'))
  // Counted anew once the count before has rested.
  await until('those of the other agent are left', async () => (await store.facts()).liveTokens?.count === 1000 + 500)
  assert.equal((await store.facts()).openCutOffs, 1)
})

test('a count during which an agent was stopped is of before or of after', async t => {
  const { store } = await open(t)
  const [stopped, other] = [await createAgent(store), await createAgent(store)]
  const wishes = Array.from({ length: 500 }, () => ({}))
  await issue(store, other, ...wishes)
  for (let n = 0; n < 24; n += 1) await issue(store, stopped, ...wishes)
  const [during] = await Promise.all([store.facts(), store.agents.disable(stopped.id, act('agent.disable'))])
  assert.ok([12_500, 500].includes(during.liveTokens?.count ?? 500), JSON.stringify(during.liveTokens))
})

testEmbedded('live tokens are counted in the order of their ids, each within its lifetime', async t => {
  const { store, file } = await open(t)
  const agent = await createAgent(store)
  await issue(store, agent, ...Array.from({ length: 65 }, () => ({})))
  const asked = await statementsDuring(async () => {
    await store.facts()
    await store.agents.disable(agent.id, act('agent.disable'))
    await store.facts()
  }, /from token where life = /)
  assert.equal(asked.length, 3)
  for (const statement of asked) {
    assert.match(planOf(file, statement).join(), /USING PRIMARY KEY \(life=\? AND id>\? AND id<\?\)/)
  }
})

test('keys by state, what expires within 7 days, entries behind the last seal, and open cut-offs', async t => {
  const { store } = await open(t)
  const before = await store.facts()
  assert.deepEqual(before.keys, [{ state: 'current', createdAt: START }])
  assert.deepEqual([before.openCutOffs, before.oldestOpenCutOffAt], [0, null])
  const week = 7 * 86_400_000
  for (const expiry of [{ at: before.at + week }, { at: before.at + week + 60_000 }, null]) {
    const apiKey = { id: randomUUID(), name: 'k', keyHash: randomBytes(32).toString('hex'), audiences: null }
    await store.apiKeys.create({ ...apiKey, permissions: [], expiry }, act('api_key.create'))
  }
  const after = await store.facts()
  assert.equal(after.apiKeysExpiring, 1)
  assert.equal(after.credentialsExpiring, 0)
  assert.equal(after.auditEntriesUnsealed, before.auditEntriesUnsealed + 3)
})

test('verifiers by state, until five minutes after their last report', async t => {
  const { store, clock } = await open(t)
  const id = randomUUID()
  const apiKey = {
    id,
    name: 'k',
    keyHash: randomBytes(32).toString('hex'),
    audiences: null,
    permissions: [],
    expiry: null,
  }
  await store.apiKeys.create(apiKey, act('api_key.create'))
  const { epoch, position } = await store.feed.head()
  const report = (name: string, at: { readonly epoch: string; readonly position: number }): void =>
    store.verifiers.report({ apiKeyId: id, name, address: '127.0.0.1', ...at, uses: null })
  report('gone', { epoch, position })
  await store.settle()
  clock.advance(30_000)
  report('here', { epoch, position })
  report('elsewhere', { epoch: 'another', position })
  await store.settle()
  assert.deepEqual((await store.facts()).verifiers, { current: 1, behind: 1, silent: 1 })
  clock.advance(270_001)
  assert.deepEqual((await store.facts()).verifiers, { current: 0, behind: 0, silent: 2 })
})

test('the rows behind an open cut-off are those of its agent', async t => {
  const { store } = await open(t)
  const [agent, other] = [await createAgent(store), await createAgent(store)]
  // More than an act moves by itself.
  const wishes = Array.from({ length: 65 }, () => ({}))
  for (const one of [agent, other]) await issue(store, one, ...wishes)
  assert.equal((await store.facts()).cutOffBacklog, 0)
  const conditions = { ...NO_CONDITIONS, agentId: agent.id }
  const revocation = { id: randomUUID(), conditions, reason: 'bulk_revocation' } as const
  await store.revocations.create(revocation, act('revocation.create'))
  const { openCutOffs, cutOffBacklog } = await store.facts()
  assert.deepEqual([openCutOffs, cutOffBacklog], [1, 65])
})

test('the last backup is that of the newest record, as of the moment that it shows', async t => {
  const { store, clock } = await open(t)
  assert.equal((await store.facts()).lastBackupAt, null)
  for (const seconds of [20, 10]) {
    clock.advance(60_000)
    await store.restores.recordBackup((await store.facts()).at - seconds * 1000, act('store.backup'))
  }
  const { at, lastBackupAt } = await store.facts()
  assert.equal(lastBackupAt, at - 10_000)
})

test('ended tokens whose descendants have yet to follow are counted', async t => {
  const world = await open(t)
  assert.equal((await world.store.facts()).cascades, 0)
  withFile(world.file, db => {
    for (const token of [1, 2])
      db.prepare('insert into cascade (token, act, at) values (?, 1, 1)').run(Buffer.alloc(16, token))
  })
  assert.equal((await world.store.facts()).cascades, 2)
})
