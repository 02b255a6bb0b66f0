// API keys that expire, that are rotated, and that make others: each is refused from its instant on, and escapes nothing.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import type { Act } from '../../../src/domain/audit/act.ts'
import type { NewApiKey } from '../../../src/ports/secret-repositories.ts'
import {
  act,
  makeTestStore,
  openTestedStore,
  START,
  type TestedStore,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { countRows } from '../../../../testkit/stores/store-file.ts'

const CREATE = act('api_key.create')
const ROTATE = act('api_key.rotate')

const makeWorld = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return world
}

const makeApiKey = (expiry: NewApiKey['expiry'] = null): NewApiKey => ({
  id: randomUUID(),
  name: 'gateway',
  permissions: ['keys:write'],
  audiences: ['https://api.example'],
  keyHash: randomBytes(32).toString('hex'),
  expiry,
})

const isTaken = async (store: TestedStore, { keyHash }: NewApiKey): Promise<boolean> =>
  (await store.apiKeys.find([keyHash]))[0] !== undefined

const actOf = ({ id }: NewApiKey): Act => ({ ...CREATE, actor: { type: 'api_key', id } })

test('an API key is refused from its expiry on, by the clock of the store, also where it is remembered', async t => {
  const { store, clock, file } = await makeWorld(t)
  const elsewhere = await openTestedStore({ file, retention: null, clock })
  t.after(elsewhere.close)
  const apiKey = makeApiKey({ at: START + 1000 })
  await store.apiKeys.create(apiKey, CREATE)
  clock.advance(999)
  for (const one of [store, elsewhere]) assert.equal(await isTaken(one, apiKey), true)
  clock.advance(1)
  for (const one of [store, elsewhere]) assert.equal(await isTaken(one, apiKey), false)
  assert.equal((await store.apiKeys.show(apiKey.id))?.expiresAt, START + 1000)
})

test('an expired API key stays so after a restart with a clock that stepped back', async t => {
  const { store, clock, file, reopen } = await makeTestStore(null)
  const apiKey = makeApiKey({ at: START + 5000 })
  await store.apiKeys.create(apiKey, CREATE)
  clock.advance(5000)
  assert.equal(await isTaken(store, apiKey), false)
  clock.advance(-500)
  const world = await reopen(null)
  t.after(world.dispose)
  assert.equal(world.file, file)
  assert.equal(await isTaken(world.store, apiKey), false)
})

test('an expiry that is not in the future makes no API key', async t => {
  const { store, file } = await makeWorld(t)
  for (const expiry of [{ at: START }, { at: START - 1 }, { afterMs: 0 }]) {
    assert.equal(await store.apiKeys.create(makeApiKey(expiry), CREATE), 'expired')
  }
  assert.equal(countRows(file, 'api_key'), 0)
})

test('a rotation makes a key of the same powers; the old one is taken for the grace and in no process beyond', async t => {
  const { store, clock, file } = await makeWorld(t)
  const elsewhere = await openTestedStore({ file, retention: null, clock })
  t.after(elsewhere.close)
  const [old, replacement] = [makeApiKey(), makeApiKey()]
  await store.apiKeys.create(old, CREATE)
  assert.equal(await isTaken(store, old), true)
  const rotated = await elsewhere.apiKeys.rotate({ id: old.id, graceMs: 1000, replacement }, ROTATE)
  assert.ok(typeof rotated === 'object' && 'replaced' in rotated)
  assert.equal(rotated.replaced.expiresAt, START + 1000)
  const { name, permissions, audiences } = old
  const found = await store.apiKeys.find([replacement.keyHash])
  assert.partialDeepStrictEqual(found, [{ id: replacement.id, name, permissions, audiences, expiresAt: null }])
  clock.advance(999)
  assert.equal(await isTaken(store, old), true)
  clock.advance(1)
  assert.equal(await isTaken(store, old), false)
  assert.equal(await store.apiKeys.rotate({ id: old.id, graceMs: 1, replacement: makeApiKey() }, ROTATE), 'not_live')
  assert.equal(await store.apiKeys.rotate({ id: randomUUID(), graceMs: 1, replacement }, ROTATE), 'unknown')
})

test('of twenty callers who rotate an API key without grace one does', async t => {
  const { store } = await makeWorld(t)
  const old = makeApiKey()
  await store.apiKeys.create(old, CREATE)
  const callers = Array.from({ length: 20 }, () =>
    store.apiKeys.rotate({ id: old.id, graceMs: 0, replacement: makeApiKey() }, ROTATE),
  )
  const answers = await Promise.all(callers)
  assert.equal(answers.filter(answer => typeof answer === 'object').length, 1)
  assert.equal(answers.filter(answer => answer === 'not_live').length, 19)
})

test('an API key that was revoked or has expired meanwhile makes no other', async t => {
  const { store, clock, file } = await makeWorld(t)
  const [revoked, expired] = [makeApiKey(), makeApiKey({ afterMs: 1 })]
  for (const apiKey of [revoked, expired]) await store.apiKeys.create(apiKey, CREATE)
  await store.apiKeys.revoke(revoked.id, act('api_key.revoke'))
  clock.advance(1)
  for (const apiKey of [revoked, expired]) {
    assert.equal(await store.apiKeys.create(makeApiKey(), actOf(apiKey)), 'caller_ended')
  }
  assert.equal(countRows(file, 'api_key'), 2)
})

test('an API key that expires makes none that lives longer, itself rotated included', async t => {
  const { store } = await makeWorld(t)
  const caller = makeApiKey({ at: START + 1000 })
  await store.apiKeys.create(caller, CREATE)
  for (const expiry of [null, { at: START + 1001 }]) {
    assert.equal(await store.apiKeys.create(makeApiKey(expiry), actOf(caller)), 'outlives_caller')
    const rotation = { id: caller.id, graceMs: 0, replacement: makeApiKey(expiry) }
    assert.equal(await store.apiKeys.rotate(rotation, actOf(caller)), 'outlives_caller')
  }
  assert.equal(typeof (await store.apiKeys.create(makeApiKey({ at: START + 1000 }), actOf(caller))), 'object')
  assert.equal(await isTaken(store, caller), true)
})
