// An Idempotency-Key: of any number of callers one creates, and the others hear what it was.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import type { Act, Actor } from '../../../src/domain/audit/act.ts'
import { BLANK_SETTINGS } from '../../../src/domain/clients/change-agent.ts'
import { IDEMPOTENCY_KEPT_MS } from '../../../src/domain/idempotency.ts'
import { retentionStep } from '../../../src/store/sqlite/writer/maintenance.ts'
import {
  act,
  KEEP_LONG,
  makeTestStore,
  openTestedStore,
  type TestedStore,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { countRows, inTransaction, withWritingConnection } from '../../../../testkit/stores/store-file.ts'

const CALLERS = 50

const makeWorld = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return world
}

const ADA: Actor = { type: 'operator', iss: 'https://idp.example', sub: 'ada' }
const BOB: Actor = { type: 'operator', iss: 'https://idp.example', sub: 'bob' }

const keyed = (kind: 'agent.create' | 'api_key.create', idempotencyKey: string, actor = ADA): Act => ({
  ...act(kind),
  actor,
  idempotencyKey,
})

const newApiKey = () => {
  const keyHash = randomBytes(32).toString('hex')
  return { id: randomUUID(), name: 'k', permissions: ['tokens:read'] as const, audiences: null, keyHash, expiry: null }
}

const newAgent = (name: string) => {
  const credential = { id: randomUUID(), secretHash: randomBytes(32).toString('hex') }
  const settings = { ...BLANK_SETTINGS, name, scopes: ['db:*'], resources: ['*'] }
  return { ...settings, id: randomUUID(), clientId: randomUUID(), credential }
}

const createKey = async ({ apiKeys }: TestedStore, idempotencyKey: string, actor = ADA) => {
  const answer = await apiKeys.create(newApiKey(), keyed('api_key.create', idempotencyKey, actor))
  assert.ok(typeof answer === 'object')
  return answer
}

test('of 50 callers with one key, in two processes, one creates and the others hear its id', async t => {
  const world = await makeWorld(t)
  const { file, clock } = world
  const elsewhere = await openTestedStore({ file, retention: null, clock })
  t.after(elsewhere.close)
  const calls = Array.from({ length: CALLERS }, (_, n) => createKey(n % 2 === 0 ? world.store : elsewhere, 'once'))
  const answers = await Promise.all(calls)
  const [made, ...others] = answers.filter(answer => 'createdAt' in answer)
  assert.ok(made !== undefined && others.length === 0)
  for (const answer of answers) {
    if (answer !== made) assert.deepEqual(answer, { existing: made.id, by: 'api_key.create' })
  }
  assert.equal(countRows(file, 'api_key'), 1)
  assert.equal(countRows(file, `audit where kind = 'api_key.create'`), 1)
})

test('another key, another actor, and no key at all create anew; a key counts for whatever it created', async t => {
  const { store, file } = await makeWorld(t)
  const first = await createKey(store, 'a')
  await createKey(store, 'b')
  await createKey(store, 'a', BOB)
  await store.apiKeys.create(newApiKey(), act('api_key.create'))
  await store.apiKeys.create(newApiKey(), act('api_key.create'))
  assert.equal(countRows(file, 'api_key'), 5)
  assert.ok('id' in first)
  const answer = await store.agents.create(newAgent('x'), keyed('agent.create', 'a'))
  assert.deepEqual(answer, { existing: first.id, by: 'api_key.create' })
  assert.equal(countRows(file, 'agent'), 0)
})

test('a repeat hears the id and not that the name is taken; a creation that was refused uses no key up', async t => {
  const { store } = await makeWorld(t)
  const agent = newAgent('one')
  await store.agents.create(agent, keyed('agent.create', 'k1'))
  const repeat = await store.agents.create(newAgent('one'), keyed('agent.create', 'k1'))
  assert.deepEqual(repeat, { existing: agent.id, by: 'agent.create' })
  assert.equal(await store.agents.create(newAgent('one'), keyed('agent.create', 'k2')), 'name_taken')
  const other = newAgent('two')
  const created = await store.agents.create(other, keyed('agent.create', 'k2'))
  assert.ok(typeof created === 'object' && 'id' in created && created.id === other.id)
})

test('a key counts for a day to the millisecond, and is then removed', async t => {
  const world = await makeWorld(t)
  const { store, clock, file } = world
  await createKey(store, 'a')
  const retain = () =>
    withWritingConnection(world, connection => inTransaction(connection, tx => retentionStep(tx, KEEP_LONG)))
  await store.close()
  clock.advance(IDEMPOTENCY_KEPT_MS - 1)
  const later = (await world.reopen(null)).store
  t.after(later.close)
  retain()
  assert.ok('existing' in (await createKey(later, 'a')))
  clock.advance(1)
  assert.equal(countRows(file, 'idempotency'), 1)
  const again = await createKey(later, 'a')
  assert.ok('id' in again)
  clock.advance(IDEMPOTENCY_KEPT_MS)
  retain()
  assert.equal(countRows(file, 'idempotency'), 0)
})
