// How PostgreSQL reads API keys that are not cached: together for all who present one, and by their index.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { makeLayout } from '../../../src/metrics/layout.ts'
import { makeSlab, openRecorder } from '../../../src/metrics/memory.ts'
import { readMemory } from '../../../src/metrics/read-memory.ts'
import type { NewApiKey } from '../../../src/ports/secret-repositories.ts'
import { databaseOf } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf, genericPlan, preparedText, withConnection } from '../../../../testkit/databases/postgres-store.ts'
import { act, makeTestStore, openTestedStore } from '../../../../testkit/stores/store.ts'

process.env['MINTMARK_TEST_STORE'] = 'postgres'

const CALLERS = 256

const makeWorld = async (t: TestContext) => {
  const lists = { operations: [], codes: [], tasks: [] }
  const layout = makeLayout(lists)
  const slab = makeSlab(layout)
  const reads = (): number => {
    const family = readMemory(layout, [slab]).find(({ name }) => name === 'mintmark_store_read_seconds')
    const series = family?.series.find(({ labels }) => Object.values(labels).includes('snapshot'))
    return typeof series?.value === 'object' ? series.value.count : 0
  }
  const world = await makeTestStore(null)
  const { file, clock } = world
  const store = await openTestedStore({ file, clock, retention: null, metrics: openRecorder({ lists, slab }) })
  t.after(async () => {
    await store.close()
    await world.dispose()
  })
  return { ...world, store, reads }
}

const makeHash = (): string => randomBytes(32).toString('hex')

const makeApiKey = (changes: Partial<NewApiKey> = {}): NewApiKey => ({
  id: randomUUID(),
  name: 'resource server',
  permissions: ['tokens:introspect'],
  audiences: null,
  keyHash: makeHash(),
  expiry: null,
  ...changes,
})

test('256 callers with unknown API keys at once take a few reads of the store, and callers with good ones are found', async t => {
  const { store, clock, reads } = await makeWorld(t)
  const [lasting, expiring] = [makeApiKey(), makeApiKey({ expiry: { at: clock.wall() + 60_000 } })]
  for (const apiKey of [lasting, expiring]) await store.apiKeys.create(apiKey, act('api_key.create'))
  const before = reads()
  const hashes = Array.from({ length: CALLERS }, makeHash)
  const asked = [lasting.keyHash, ...hashes, expiring.keyHash, lasting.keyHash]
  const found = await Promise.all(asked.map(hash => store.apiKeys.find([hash])))
  const ids = found.map(([one]) => one?.id)
  assert.deepEqual(ids, [lasting.id, ...hashes.map(() => undefined), expiring.id, lasting.id])
  assert.ok(reads() - before < CALLERS / 8, `${reads() - before} reads`)
  const together = reads()
  const group = await store.apiKeys.find(asked)
  assert.deepEqual(
    group.map(one => one?.id),
    ids,
  )
  assert.equal(reads() - together, 1)
  await store.apiKeys.revoke(lasting.id, act('api_key.revoke'))
  assert.deepEqual(await store.apiKeys.find([lasting.keyHash, hashes[0] ?? '']), [undefined, undefined])
})

test('API keys are read by the index of their hashes', async t => {
  const { store, file } = await makeWorld(t)
  const text = await preparedText(t, 'read_api_keys', () => store.apiKeys.find([makeHash()]))
  const plan = await withConnection(await addressOf(databaseOf(file)), connection => genericPlan(connection, text))
  assert.match(plan.join('\n'), /Index Scan using api_key_key_hash_key on api_key/)
  assert.doesNotMatch(plan.join('\n'), /Seq Scan on api_key/)
})
