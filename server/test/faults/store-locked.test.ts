// Another process that holds the lock of the store for longer than a caller may wait.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { Unavailable } from '../../src/domain/refusal.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { connectStore, openSqliteStore } from '../../src/store/sqlite/open.ts'
import type { Retention } from '../../src/store/retention.ts'
import {
  act,
  createAgent,
  issue,
  KEEP_LONG,
  makeTestStore,
  newTokens,
  openTestedStore,
  someSigningKey,
  type TestedStore,
} from '../../../testkit/stores/store.ts'
import { openBeside, readRows } from '../../../testkit/stores/store-file.ts'

const SHORT_MS = 150
const LONG_MS = 60_000
const REVOKE = act('token.revoke')

/**
 * An open store, its lock in the hands of another connection until `release`. `hasty` is a thread of it with little
 * patience, for what shall be refused: what shall be done may take as long as the machine does.
 */
const makeWorld = async (t: TestContext, retention: Retention | null = null) => {
  const world = await makeTestStore(null)
  const { file, clock } = world
  await world.store.close()
  const store = await openSqliteStore({ file, retention, clock, timing: { ...TIMING, storeMs: LONG_MS } })
  const hasty = connectStore({ file, clock: store.host.clock, timing: { ...TIMING, storeMs: SHORT_MS } })
  store.host.attach(hasty.connect)
  const agent = await createAgent(store)
  const [token] = await issue(store, agent, {})
  const raced = await newTokens(store, agent, [{}])
  assert.ok(token)
  const other = openBeside(file)
  other.exec('begin exclusive')
  t.after(async () => {
    other.close()
    hasty.close()
    await store.close()
    await world.dispose()
  })
  return { file, clock, store, hasty, agent, token, raced, release: () => other.exec('rollback') }
}

/** Whatever the thread has handed over before, the writing thread has taken up after this. */
const workThrough = async ({ health }: Pick<TestedStore, 'health'>): Promise<void> => {
  while ((await health.check()) !== null);
}

const TABLES = ['token', 'ended', 'agent', 'api_key', 'signing_key', 'cutoff', 'act', 'audit', 'scope_set', 'lifetime']
const contentOf = (file: string) => TABLES.map(table => readRows(file, `select * from ${table}`))

test('what cannot have the lock before its deadline is unavailable, was not done, and is not done later', async t => {
  const { file, hasty, agent, token, raced, release } = await makeWorld(t)
  const before = contentOf(file)
  const apiKey = {
    id: randomUUID(),
    name: 'key',
    permissions: [],
    audiences: null,
    keyHash: randomBytes(32).toString('hex'),
    expiry: null,
  }
  const attempts = [
    () => hasty.ledger.end(token, 'manual_revocation', REVOKE),
    () => hasty.ledger.insert(raced),
    () => hasty.ledger.exclusively(ledger => ledger.insert(raced)),
    () => hasty.agents.disable(agent.id, act('agent.disable')),
    () => createAgent(hasty),
    () => hasty.apiKeys.create(apiKey, act('api_key.create')),
    () => hasty.signingKeys.createFirst(someSigningKey(), act('signing_key.create')),
  ]
  for (const attempt of attempts) await assert.rejects(attempt, Unavailable)
  release()
  await workThrough(hasty)
  assert.deepEqual(contentOf(file), before)
})

test('when the lock is free again the store works without a restart', async t => {
  const { store, hasty, token, raced, release } = await makeWorld(t)
  await assert.rejects(hasty.ledger.end(token, 'manual_revocation', REVOKE), Unavailable)
  assert.notEqual(await hasty.health.check(), null)
  release()
  assert.equal(await store.health.check(), null)
  assert.deepEqual(
    (await store.ledger.find([token])).map(found => found?.dead),
    [false],
  )
  assert.equal(await store.ledger.end(token, 'manual_revocation', REVOKE), 'ended')
  assert.deepEqual(await store.ledger.insert(raced), ['inserted'])
})

test('while nothing can be written look-ups answer until the lease has run out, and then not', async t => {
  const { store, hasty, clock, token, release } = await makeWorld(t, KEEP_LONG)
  clock.advance(1000)
  assert.deepEqual(
    (await hasty.ledger.find([token])).map(found => found?.dead),
    [false],
  )
  clock.advance(1)
  await assert.rejects(hasty.ledger.find([token]), Unavailable)
  release()
  assert.deepEqual(
    (await store.ledger.find([token])).map(found => found?.dead),
    [false],
  )
})

test('fifty callers who end one token while the lock is held are all refused, and nobody gets that it ended', async t => {
  const { file, hasty, token, release } = await makeWorld(t)
  const before = contentOf(file)
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, () => hasty.ledger.end(token, 'manual_revocation', REVOKE)),
  )
  assert.ok(outcomes.every(outcome => outcome.status === 'rejected' && outcome.reason instanceof Unavailable))
  release()
  await workThrough(hasty)
  assert.deepEqual(contentOf(file), before)
})

test('a command that writes in its own thread hears why it was refused', async t => {
  const { file, clock, store, dispose } = await makeTestStore(null)
  await store.close()
  const timing = { ...TIMING, storeMs: SHORT_MS }
  const command = await openTestedStore({ file, clock, retention: null, timing })
  const other = openBeside(file)
  t.after(async () => {
    other.close()
    await command.close()
    await dispose()
  })
  other.exec('begin exclusive')
  await assert.rejects(createAgent(command), /held the lock of the store too long|too slow to begin with this/)
})
