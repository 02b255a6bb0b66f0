// When secrets were last used: to the minute, and nobody waits for it.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { recordUses } from '../../../src/store/repositories/client-repositories.ts'
import { LAST_USE_STEP_MS } from '../../../src/store/repositories/last-uses.ts'
import {
  act,
  createAgent,
  issue,
  makeTestStore,
  newTokens,
  START,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { countRows } from '../../../../testkit/stores/store-file.ts'

const makeWorld = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return world
}

const newApiKey = () => ({
  id: randomUUID(),
  name: 'gateway',
  permissions: [],
  audiences: null,
  keyHash: randomBytes(32).toString('hex'),
  expiry: null,
})

test('a credential was last used when it got a token, written once a minute and only with a token', async t => {
  const { store, clock } = await makeWorld(t)
  const agent = await createAgent(store)
  const lastUse = async () => (await store.credentials.show(agent.id, agent.credentialId, null))?.lastUsedAt
  assert.equal(await lastUse(), null)
  clock.advance(5)
  await issue(store, agent, {}, {})
  assert.equal(await lastUse(), START + 5)
  clock.advance(LAST_USE_STEP_MS - 1)
  await issue(store, agent, {})
  assert.equal(await lastUse(), START + 5)
  clock.advance(1)
  await issue(store, agent, {})
  assert.equal(await lastUse(), START + 5 + LAST_USE_STEP_MS)
})

test('a token that is not written is no use of its credential', async t => {
  const { store, clock } = await makeWorld(t)
  const agent = await createAgent(store)
  const late = await newTokens(store, agent, [{}])
  clock.advance(5)
  await store.agents.disable((await createAgent(store)).id, act('agent.disable'))
  const inTime = await newTokens(store, await createAgent(store), [{}])
  assert.deepEqual(await store.ledger.insert([...late, ...inTime]), ['decide_again', 'inserted'])
  assert.equal((await store.credentials.show(agent.id, agent.credentialId, null))?.lastUsedAt, null)
})

test('an API key was last used when it was taken, written once a minute; one that is not taken is not used', async t => {
  const { store, clock } = await makeWorld(t)
  const [apiKey, revoked] = [newApiKey(), newApiKey()]
  for (const one of [apiKey, revoked]) await store.apiKeys.create(one, act('api_key.create'))
  await store.apiKeys.revoke(revoked.id, act('api_key.revoke'))
  const use = async (): Promise<void> => {
    await store.apiKeys.find([apiKey.keyHash, revoked.keyHash])
    // The writing thread takes one job after another.
    await store.health.check()
  }
  const lastUse = async ({ id }: { id: string }) => (await store.apiKeys.show(id))?.lastUsedAt
  await use()
  assert.equal(await lastUse(apiKey), START)
  clock.advance(LAST_USE_STEP_MS - 1)
  await use()
  assert.equal(await lastUse(apiKey), START)
  clock.advance(1)
  await use()
  assert.equal(await lastUse(apiKey), START + LAST_USE_STEP_MS)
  assert.equal(await lastUse(revoked), null)
})

test('uses of API keys are handed over once a minute each, and a store that fails at them is reported and harms nobody', async () => {
  const handed: unknown[] = []
  const call = (_job: unknown, ids: unknown): Promise<never> => {
    handed.push(ids)
    return Promise.reject(new Error('the store fails'))
  }
  const faults: string[] = []
  const noteUses = recordUses({ call }, (task, fault) => void faults.push(`${task}: ${String(fault)}`))
  const [one, two] = [newApiKey(), newApiKey()].map(({ keyHash: _hash, expiry: _expiry, ...shown }) => ({
    ...shown,
    createdAt: START,
    expiresAt: null,
    lastUsedAt: null,
    revokedAt: null,
    suspendedAt: null,
  }))
  noteUses([one, undefined, one], START)
  noteUses([one, two], START + LAST_USE_STEP_MS - 1)
  noteUses([one, two], START + LAST_USE_STEP_MS)
  assert.deepEqual(handed, [[one?.id], [two?.id], [one?.id]])
  await turn()
  assert.deepEqual(
    faults,
    Array.from({ length: 3 }, () => 'last uses of API keys: Error: the store fails'),
  )
})

test('noting a use takes no number and writes no row of the audit', async t => {
  const { store, file } = await makeWorld(t)
  const apiKey = newApiKey()
  await store.apiKeys.create(apiKey, act('api_key.create'))
  const before = countRows(file, 'audit')
  const { seq } = await store.agents.viewForIssue([], 'fresh')
  await store.apiKeys.find([apiKey.keyHash])
  await store.health.check()
  assert.equal((await store.agents.viewForIssue([], 'fresh')).seq, seq)
  assert.equal(countRows(file, 'audit'), before)
})
