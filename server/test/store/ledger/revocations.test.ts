// Revocations in the store: which tokens each condition reaches, how far records have followed, and what outlives a restart.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import type { TokenAddress } from '../../../src/domain/ledger/claims.ts'
import { COUNT_EXACT_MAX } from '../../../../api/values/lists.ts'
import { NO_CONDITIONS, type RevocationConditions } from '../../../src/domain/ledger/revocation.ts'
import { Unavailable } from '../../../src/domain/refusal.ts'
import type { RevocationMade } from '../../../src/ports/revocations.ts'
import { backfillStep } from '../../../src/store/ledger/backfill.ts'
import { retentionStep } from '../../../src/store/sqlite/writer/maintenance.ts'
import {
  act,
  createAgent,
  issue,
  makeTestStore,
  newTokens,
  openTestedStore,
  START,
  type TestAgent,
  type TestedStore,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { countRows, inTransaction, withWritingConnection } from '../../../../testkit/stores/store-file.ts'

const REVOKE = act('revocation.create', 'a note')
/** The most rows that an act moves by itself. */
const FEW = 64
const makeWorld = async (t: TestContext): Promise<TestStore & { readonly agent: TestAgent }> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return { ...world, agent: await createAgent(world.store) }
}

const issueMany = (store: TestedStore, agent: TestAgent, count: number): Promise<readonly TokenAddress[]> =>
  issue(store, agent, ...Array.from({ length: count }, () => ({})))

const create = (store: TestedStore, conditions: Partial<RevocationConditions>, id: string = randomUUID()) =>
  store.revocations.create({ id, conditions: { ...NO_CONDITIONS, ...conditions }, reason: 'bulk_revocation' }, REVOKE)

const isCreated = (made: Awaited<ReturnType<typeof create>>): boolean =>
  typeof made !== 'string' && 'outcome' in made && made.outcome === 'created'

const made = async (store: TestedStore, conditions: Partial<RevocationConditions>): Promise<RevocationMade> => {
  const outcome = await create(store, conditions)
  assert.ok(typeof outcome !== 'string' && 'revocation' in outcome, JSON.stringify(outcome))
  return outcome
}

const fill = (world: TestStore, steps: number): void =>
  withWritingConnection(world, connection => {
    for (let n = 0; n < steps; n += 1) inTransaction(connection, backfillStep)
  })

const progressOf = async (store: TestedStore, id: string) => {
  const shown = await store.revocations.show(id)
  return [shown?.state, shown?.tokensMoved]
}

const countAlive = async (store: TestedStore, tokens: readonly TokenAddress[]): Promise<number> =>
  (await store.ledger.find(tokens)).filter(found => found?.dead === false).length

test('a revocation is open while rows follow, counts each once, and is the same after a restart', async t => {
  const world = await makeWorld(t)
  const tokens = await issueMany(world.store, world.agent, 1200)
  const { revocation } = await made(world.store, { agentId: world.agent.id })
  const { id } = revocation
  assert.equal(await countAlive(world.store, tokens), 0)
  assert.deepEqual([revocation.state, revocation.tokensMoved, revocation.note], ['open', 0, 'a note'])
  fill(world, 1)
  assert.deepEqual(await progressOf(world.store, id), ['open', 500])
  const again = await world.reopen(null)
  t.after(again.dispose)
  assert.deepEqual(await again.store.revocations.show(id), { ...revocation, tokensMoved: 500 })
  fill(again, 2)
  assert.deepEqual(await progressOf(again.store, id), ['closed', 1200])
  assert.equal(await countAlive(again.store, tokens), 0)
})

test('a token that two revocations cover counts as moved by the first of them, whichever way its row goes', async t => {
  const world = await makeWorld(t)
  const [single] = await issueMany(world.store, world.agent, FEW + 1)
  assert.ok(single)
  const first = await made(world.store, { scope: 'db:read' })
  const second = await made(world.store, { agentId: world.agent.id })
  assert.equal(await world.store.ledger.end(single, 'manual_revocation', act('token.revoke')), 'already_ended')
  assert.deepEqual(await progressOf(world.store, first.revocation.id), ['open', 1])
  fill(world, 4)
  assert.deepEqual(await progressOf(world.store, first.revocation.id), ['closed', FEW + 1])
  assert.deepEqual(await progressOf(world.store, second.revocation.id), ['closed', 0])
})

test('the tokens of a credential end, and those of no other, however many rows other agents have', async t => {
  const { store, agent, ...world } = await makeWorld(t)
  const bystander = await createAgent(store)
  const [ours, others] = [await issueMany(store, agent, FEW + 1), await issueMany(store, bystander, 1100)]
  const { revocation } = await made(store, { credentialId: agent.credentialId })
  assert.deepEqual([await countAlive(store, ours), await countAlive(store, others)], [0, 1100])
  // One step examines 500 rows: only by the index of its agent are they all among them.
  fill({ ...world, store }, 1)
  assert.deepEqual(await progressOf(store, revocation.id), ['closed', FEW + 1])
})

test('two processes that make one revocation at once make it once', async t => {
  const world = await makeWorld(t)
  const other = await openTestedStore({ file: world.file, retention: null, clock: world.clock })
  t.after(() => other.close())
  const id = randomUUID()
  const stores = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? world.store : other))
  const outcomes = await Promise.all(stores.map(store => create(store, { scope: 'db:read' }, id)))
  const created = outcomes.filter(outcome => isCreated(outcome))
  assert.deepEqual([outcomes.length, created.length, countRows(world.file, 'cutoff')], [20, 1, 1])
})

test('a 33rd of one caller that is compared token by token is refused and leaves nothing; one of an agent or of all never is', async t => {
  const world = await makeWorld(t)
  await issueMany(world.store, world.agent, 1001)
  for (let n = 0; n < 32; n += 1) await made(world.store, { scope: 'db:read' })
  const id = randomUUID()
  await assert.rejects(create(world.store, { scope: 'db:read' }, id), Unavailable)
  assert.equal(await world.store.revocations.show(id), undefined)
  await made(world.store, { agentId: world.agent.id })
  await made(world.store, {})
  fill(world, 140)
  const later = await create(world.store, { scope: 'db:read' }, id)
  assert.ok(isCreated(later))
})

test('a dry run counts exactly up to ten thousand, then says at least; it changes nothing', async t => {
  const { store, agent, file } = await makeWorld(t)
  for (let n = 0; n < COUNT_EXACT_MAX / 500; n += 1) await issueMany(store, agent, 500)
  const dryRun = async () => {
    const counted = await store.revocations.dryRun({ ...NO_CONDITIONS, agentId: agent.id })
    assert.ok(typeof counted !== 'string')
    return [counted.count, counted.isExact, counted.sample.length]
  }
  assert.deepEqual(await dryRun(), [COUNT_EXACT_MAX, true, 10])
  await issueMany(store, agent, 1)
  assert.deepEqual(await dryRun(), [COUNT_EXACT_MAX, false, 10])
  assert.deepEqual([countRows(file, 'cutoff'), countRows(file, 'ended')], [0, 0])
})

test('a dry run does not count what an open cut-off has ended', async t => {
  const { store, agent } = await makeWorld(t)
  await issueMany(store, agent, FEW + 1)
  await made(store, { scope: 'db:*' })
  await issueMany(store, agent, 3)
  const counted = await store.revocations.dryRun({ ...NO_CONDITIONS, agentId: agent.id })
  assert.equal(typeof counted === 'string' ? counted : counted.count, 3)
})

test('a token whose issue was decided before a revocation is not written after it', async t => {
  const { store, agent } = await makeWorld(t)
  const raced = await newTokens(store, agent, [{}])
  await made(store, { scope: 'none:none' })
  assert.deepEqual(await store.ledger.insert(raced), ['decide_again'])
})

test('once its tokens are no longer kept, neither is the revocation, and its id is free', async t => {
  const world = await makeWorld(t)
  const { revocation } = await made(world.store, { agentId: world.agent.id })
  world.clock.advance(10_000)
  const retention = { expiredMs: 1000, endedMs: 10_000 }
  const keep = (): void =>
    withWritingConnection(world, connection => void inTransaction(connection, tx => retentionStep(tx, retention)))
  keep()
  assert.ok(await world.store.revocations.show(revocation.id))
  world.clock.advance(1)
  keep()
  assert.equal(await world.store.revocations.show(revocation.id), undefined)
  const again = await create(world.store, { issuedBefore: START }, revocation.id)
  assert.ok(isCreated(again))
})
