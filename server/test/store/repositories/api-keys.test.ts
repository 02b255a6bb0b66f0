// The register of API keys: found by hash while they live, and by no process after their revocation.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import type { ApiKeyFilters } from '../../../src/domain/lists/page.ts'
import type { NewApiKey } from '../../../src/ports/secret-repositories.ts'
import {
  act,
  makeTestStore,
  NO_NAME_FILTERS,
  openTestedStore,
  START,
  type TestedStore,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { readNumber, withFile } from '../../../../testkit/stores/store-file.ts'

const EVERY_KEY = { ...NO_NAME_FILTERS, ids: [] }
const CREATE = act('api_key.create')
const REVOKE = act('api_key.revoke')

const makeWorld = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return world
}

const makeApiKey = (changes: Partial<NewApiKey> = {}): NewApiKey => ({
  id: randomUUID(),
  name: 'resource server',
  permissions: ['tokens:introspect', 'tokens:read'],
  audiences: ['https://api.example'],
  keyHash: randomBytes(32).toString('hex'),
  expiry: null,
  ...changes,
})

const find = async (store: TestedStore, keys: readonly NewApiKey[]) => {
  const found = await store.apiKeys.find(keys.map(({ keyHash }) => keyHash))
  return found.map(key => key?.id)
}

test('an API key that was created is found by its hash as given, with the time of the store', async t => {
  const { store } = await makeWorld(t)
  for (const apiKey of [makeApiKey(), makeApiKey({ audiences: null, permissions: [] })]) {
    const { keyHash, expiry: _expiry, ...shown } = apiKey
    const expected = {
      ...shown,
      createdAt: START,
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null,
      suspendedAt: null,
    }
    assert.deepEqual(await store.apiKeys.create(apiKey, CREATE), expected)
    assert.deepEqual(await store.apiKeys.find([keyHash]), [expected])
  }
})

test('API keys are found in the order asked for, undefined where there is none', async t => {
  const { store } = await makeWorld(t)
  const [a, b, stranger] = [makeApiKey(), makeApiKey(), makeApiKey()]
  for (const apiKey of [a, b]) await store.apiKeys.create(apiKey, CREATE)
  for (let time = 0; time < 2; time += 1) {
    assert.deepEqual(await find(store, [b, stranger, a, b]), [b.id, undefined, a.id, b.id])
  }
})

test('an API key that was revoked is found by nobody and listed with the time; revoking it again changes nothing', async t => {
  const { store, clock, file } = await makeWorld(t)
  const apiKey = makeApiKey()
  await store.apiKeys.create(apiKey, CREATE)
  assert.deepEqual(await find(store, [apiKey]), [apiKey.id])
  clock.advance(7)
  assert.equal((await store.apiKeys.revoke(apiKey.id, REVOKE))?.revokedAt, START + 7)
  const seq = readNumber(file, 'select seq from service')
  clock.advance(7)
  assert.equal((await store.apiKeys.revoke(apiKey.id, REVOKE))?.revokedAt, START + 7)
  assert.equal(readNumber(file, 'select seq from service'), seq)
  assert.deepEqual(await find(store, [apiKey]), [undefined])
  assert.deepEqual(
    (await store.apiKeys.list({ filters: EVERY_KEY, after: null, limit: 10 })).map(({ id, revokedAt }) => [
      id,
      revokedAt,
    ]),
    [[apiKey.id, START + 7]],
  )
})

test('revoking an API key that is unknown changes nothing', async t => {
  const { store } = await makeWorld(t)
  assert.equal(await store.apiKeys.revoke(randomUUID(), REVOKE), undefined)
})

test('what is remembered of an API key is not used once it was revoked in another process', async t => {
  const { store, file, clock } = await makeWorld(t)
  const elsewhere = await openTestedStore({ file, retention: null, clock })
  t.after(elsewhere.close)
  const [revoked, other] = [makeApiKey(), makeApiKey()]
  for (const apiKey of [revoked, other]) await store.apiKeys.create(apiKey, CREATE)
  assert.deepEqual(await find(store, [revoked, other]), [revoked.id, other.id])
  await elsewhere.apiKeys.revoke(revoked.id, REVOKE)
  assert.deepEqual(await find(store, [revoked, other]), [undefined, other.id])
})

test('an API key not found is not remembered as such: once created elsewhere it is found from the cache too', async t => {
  const { store, file, clock } = await makeWorld(t)
  const elsewhere = await openTestedStore({ file, retention: null, clock })
  t.after(elsewhere.close)
  const apiKey = makeApiKey()
  assert.deepEqual(await find(store, [apiKey]), [undefined])
  await elsewhere.apiKeys.create(apiKey, CREATE)
  assert.deepEqual(await find(store, [apiKey]), [apiKey.id])
})

test('API keys are listed by id, page by page, none twice and none left out', async t => {
  const { store } = await makeWorld(t)
  const keys = Array.from({ length: 5 }, () => makeApiKey())
  for (const apiKey of keys) await store.apiKeys.create(apiKey, CREATE)
  const listed: string[] = []
  for (const after of [null, 1, 3]) {
    const page = await store.apiKeys.list({
      filters: EVERY_KEY,
      after: after === null ? null : (listed[after] ?? null),
      limit: 2,
    })
    listed.push(...page.map(({ id }) => id))
  }
  assert.deepEqual(listed, keys.map(({ id }) => id).toSorted())
})

test('a permission that this program does not know grants nothing', async t => {
  const { store, file } = await makeWorld(t)
  const apiKey = makeApiKey()
  await store.apiKeys.create(apiKey, CREATE)
  withFile(file, db => db.prepare('update api_key set permissions = ?').run('["tokens:read","tokens:invent"]'))
  const [found] = await store.apiKeys.find([apiKey.keyHash])
  assert.deepEqual(found?.permissions, ['tokens:read'])
})

test('API keys are found by name, by the beginning of a name or an id, and by several ids, page by page', async t => {
  const { store } = await makeWorld(t)
  const made = ['orders', 'orders', 'orders 2', 'Orders', 'billing'].map(name => makeApiKey({ name }))
  for (const apiKey of made) await store.apiKeys.create(apiKey, CREATE)
  const [one, two, three, , last] = made.map(({ id }) => id)
  const found = async (filters: Partial<ApiKeyFilters>): Promise<readonly string[]> =>
    (await store.apiKeys.list({ filters: { ...EVERY_KEY, ...filters }, after: null, limit: 10 })).map(({ id }) => id)
  const ids = (...some: readonly (string | undefined)[]) => some.map(String).toSorted()
  assert.deepEqual(await found({ name: 'orders' }), ids(one, two))
  assert.deepEqual(await found({ name: 'order' }), [])
  assert.deepEqual(await found({ namePrefix: 'orders' }), [...ids(one, two), String(three)])
  const pages: string[] = []
  for (let after: string | null = null; pages.length < 4; after = pages.at(-1) ?? null) {
    const filters = { ...EVERY_KEY, namePrefix: 'orders' }
    const [next] = await store.apiKeys.list({ filters, after, limit: 1 })
    if (next === undefined) break
    pages.push(next.id)
  }
  assert.deepEqual(pages, [...ids(one, two), String(three)])
  assert.deepEqual(await found({ search: String(last).slice(0, 13) }), ids(last))
  assert.deepEqual(await found({ search: String(last).toUpperCase() }), ids(last))
  assert.deepEqual(await found({ search: 'bill' }), ids(last))
  assert.deepEqual(await found({ ids: ids(one, last) }), ids(one, last))
  assert.deepEqual(await found({ ids: ids(one, last), name: 'billing' }), ids(last))
})
