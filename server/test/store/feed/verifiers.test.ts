// Where verifiers say that they are, in the store: what bounds their number, and what becomes of them when its clock is reset or
// nobody is heard of any more.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import type { PositionReport } from '../../../src/domain/clients/verifier.ts'
import { removeVerifiers, reportPositions } from '../../../src/store/feed/report-positions.ts'
import { statementsDuring } from '../../../../testkit/stores/asked-statements.ts'
import {
  act,
  makeTestStore,
  openTestedStore,
  resetTestedClock,
  testEmbedded,
  type TestedStore,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { planOf } from '../lists/list-plans.ts'
import { countRows, inTransaction, withWritingConnection } from '../../../../testkit/stores/store-file.ts'

const DAY_MS = 86_400_000
const VERIFIERS_MAX = 10_000
const VERIFIERS_OF_KEY_MAX = 1000

const makeWorld = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return world
}

const addApiKey = async (store: TestedStore): Promise<string> => {
  const id = randomUUID()
  const keyHash = Buffer.from(id.replaceAll('-', '').repeat(2), 'hex').toString('hex')
  const apiKey = { id, name: 'of a verifier', permissions: [], audiences: null, keyHash, expiry: null }
  await store.apiKeys.create(apiKey, act('api_key.create'))
  return id
}

const reportOf = (apiKeyId: string, name: string, more: Partial<PositionReport> = {}): PositionReport => ({
  apiKeyId,
  name,
  address: '192.0.2.7',
  epoch: 'E',
  position: 7,
  uses: null,
  ...more,
})

/** Names of the verifiers of a key, or of all, in order. */
const namesOf = async (store: TestedStore, apiKeyId: string | null = null): Promise<readonly string[]> => {
  const found = await store.verifiers.list({ apiKeyId, after: null, limit: 20_000 })
  return found.map(({ verifier }) => verifier.name)
}

const numbered = (count: number, prefix = 'v'): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(5, '0')}`)

/** Writes them by the job itself. */
const write = (world: TestStore, reports: readonly PositionReport[]): void => {
  const batch = { epoch: 'E', reports: reports.map(report => ({ ...report, waitedMs: 0 })) }
  withWritingConnection(world, connection => inTransaction(connection, tx => reportPositions(tx, batch)))
}

test('the 1,001st verifier of an API key takes the place of the one that was not heard of for the longest time', async t => {
  const world = await makeWorld(t)
  const [ours, theirs] = [await addApiKey(world.store), await addApiKey(world.store)]
  const names = numbered(VERIFIERS_OF_KEY_MAX)
  write(world, [reportOf(theirs, 'bystander')])
  world.clock.advance(1)
  write(
    world,
    names.map(name => reportOf(ours, name)),
  )
  world.clock.advance(1)
  write(world, [reportOf(ours, names[0] ?? '')])
  assert.equal((await namesOf(world.store, ours)).length, VERIFIERS_OF_KEY_MAX)
  world.clock.advance(1)
  write(world, [reportOf(ours, 'one more')])
  const left = await namesOf(world.store, ours)
  assert.deepEqual(left, ['one more', names[0], ...names.slice(2)])
  assert.deepEqual(await namesOf(world.store, theirs), ['bystander'])
})

test('the 10,001st verifier takes the place of the one of all keys that was not heard of for the longest time', async t => {
  const world = await makeWorld(t)
  const [first, last] = [await addApiKey(world.store), await addApiKey(world.store)]
  const between = await Promise.all(
    Array.from({ length: VERIFIERS_MAX / VERIFIERS_OF_KEY_MAX - 1 }, () => addApiKey(world.store)),
  )
  write(world, [reportOf(first, 'oldest'), reportOf(first, 'older')])
  world.clock.advance(1)
  for (const apiKeyId of between) {
    write(
      world,
      numbered(VERIFIERS_OF_KEY_MAX).map(name => reportOf(apiKeyId, name)),
    )
  }
  const free = VERIFIERS_MAX - between.length * VERIFIERS_OF_KEY_MAX - 2
  write(
    world,
    numbered(free).map(name => reportOf(last, name)),
  )
  assert.equal(countRows(world.file, 'verifier'), VERIFIERS_MAX)
  write(world, [reportOf(last, 'one more')])
  assert.equal(countRows(world.file, 'verifier'), VERIFIERS_MAX)
  assert.equal((await namesOf(world.store, first)).length, 1)
})

test('who was not heard of for a day is removed, and nobody sooner', async t => {
  const world = await makeWorld(t)
  const apiKeyId = await addApiKey(world.store)
  const removeAt = (now: number) =>
    withWritingConnection(world, connection => inTransaction(connection, () => removeVerifiers(now)))
  const reportedAt = world.clock.wall()
  write(
    world,
    numbered(501).map(name => reportOf(apiKeyId, name)),
  )
  assert.equal(removeAt(reportedAt + DAY_MS), 'nothing_left')
  assert.equal(countRows(world.file, 'verifier'), 501)
  assert.equal(removeAt(reportedAt + DAY_MS + 1), 'more')
  assert.equal(removeAt(reportedAt + DAY_MS + 1), 'nothing_left')
  assert.equal(countRows(world.file, 'verifier'), 0)
})

test('a reset of the clock forgets all verifiers, whose reports lie in its future', async t => {
  const world = await makeWorld(t)
  const { store, file, clock } = world
  const { epoch } = await store.feed.head()
  store.verifiers.report(reportOf(await addApiKey(store), 'one', { epoch, position: 0 }))
  await store.settle()
  assert.equal(countRows(file, 'verifier'), 1)
  await store.close()
  clock.advance(-10 * DAY_MS)
  await resetTestedClock(world, act('clock.reset'))
  assert.equal(countRows(file, 'verifier'), 0)
})

testEmbedded('a page of verifiers seeks its place, and sorts nothing', async t => {
  const { store, file } = await makeWorld(t)
  const asked = await statementsDuring(async () => {
    await namesOf(store)
    await namesOf(store, randomUUID())
  }, /from verifier/)
  assert.equal(asked.length, 2)
  for (const statement of asked) {
    const plan = planOf(file, statement)
    assert.ok(plan.length > 0 && plan.every(step => step.startsWith('SEARCH ')), plan.join('; '))
    assert.match(plan.join('; '), /SEARCH v USING PRIMARY KEY/)
  }
})

test('two processes that report one verifier at once leave its newest position', async t => {
  const { store, file, clock } = await makeWorld(t)
  const beside = await openTestedStore({ file, clock, retention: null })
  t.after(() => beside.close())
  const apiKeyId = await addApiKey(store)
  for (let n = 0; n < 40; n += 1) {
    const [one, other] = n % 2 === 0 ? [store, beside] : [beside, store]
    one.verifiers.report(reportOf(apiKeyId, 'shared', { epoch: 'another', position: 80 - n }))
    other.verifiers.report(reportOf(apiKeyId, 'shared', { epoch: 'another', position: n }))
    other.verifiers.report(reportOf(apiKeyId, `own ${n}`, { epoch: 'another', position: n }))
    if (n % 10 === 9) await Promise.all([store.settle(), beside.settle()])
  }
  const found = await store.verifiers.list({ apiKeyId, after: null, limit: 100 })
  assert.equal(found.length, 41)
  assert.equal(found.find(({ verifier }) => verifier.name === 'shared')?.verifier.position, 80)
})
