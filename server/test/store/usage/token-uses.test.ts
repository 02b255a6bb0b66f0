// Where tokens are used, in the store: several processes in one minute, bounds, removal, and a clock that was set back.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { ENDED_A_MINUTE_MAX, EXPIRED_A_MINUTE_MAX, PAIRS_A_MINUTE_MAX } from '../../../../api/values/usage.ts'
import type { LateUseFilters } from '../../../src/domain/clients/token-use.ts'
import { makeTokenId } from '../../../src/domain/ledger/claims.ts'
import { statementsDuring } from '../../../../testkit/stores/asked-statements.ts'
import { retentionStep } from '../../../src/store/sqlite/writer/maintenance.ts'
import {
  act,
  createAgent,
  KEEP_LONG,
  makeTestStore,
  openTestedStore,
  resetTestedClock,
  START,
  testEmbedded,
  type TestedStore,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { countRows, inTransaction, withWritingConnection } from '../../../../testkit/stores/store-file.ts'
import { planOf } from '../lists/list-plans.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

const makeWorld = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return world
}

const addApiKey = async (store: TestedStore): Promise<string> => {
  const id = randomUUID()
  const keyHash = Buffer.from(id.replaceAll('-', '').repeat(2), 'hex').toString('hex')
  const apiKey = { id, name: 'of a resource server', permissions: [], audiences: null, keyHash, expiry: null }
  await store.apiKeys.create(apiKey, act('api_key.create'))
  return id
}

const ALL: LateUseFilters = {
  agentId: null,
  apiKeyId: null,
  tokenId: null,
  since: null,
  before: null,
  onlyThrough: null,
}

const page = (more: Partial<LateUseFilters> = {}) => ({
  filters: { ...ALL, ...more },
  audiences: null,
  after: null,
  limit: 1000,
})

const usesOf = async (store: TestedStore) => (await store.usage.listUses(page())).records
const lateUsesOf = async (store: TestedStore) => (await store.usage.listLateUses(page())).records

const tokenIds = (count: number, prefix: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => makeTokenId(START, Buffer.from([prefix, n >> 8, n, 0, 0, 0, 0, 0, 0, 0])))

type Whose = readonly [apiKeyId: string, agentId: string]

/** Presents tokens that had ended: the row is there, and says when it expires. */
const present = (store: TestedStore, [apiKeyId, agentId]: Whose, ids: readonly string[], expiresAt: number): void => {
  for (const tokenId of ids) {
    store.usage.countInactive(apiKeyId, { kind: 'ended', agentId, tokenId, expiresAt, isOutside: false })
  }
}

test('two processes that count in one minute add up, and no more than 100 pairs have rows', async t => {
  const world = await makeWorld(t)
  const { store, file, clock } = world
  const agents = await Promise.all(Array.from({ length: 70 }, () => createAgent(store)))
  const keys = await Promise.all([addApiKey(store), addApiKey(store)])
  const beside = await openTestedStore({ file, clock, retention: null })
  try {
    for (let round = 0; round < 3; round += 1) {
      for (const [n, one] of [store, beside].entries()) {
        // Half of the pairs are counted by both.
        for (const [m, { id }] of agents.entries()) one.usage.countActive(keys[m < 35 ? 0 : n] ?? '', id)
      }
      await Promise.all([store.settle(), beside.settle()])
    }
    const uses = await usesOf(store)
    assert.equal(uses.filter(({ apiKeyId }) => apiKeyId !== null).length, PAIRS_A_MINUTE_MAX)
    assert.equal(
      uses.reduce((sum, { active }) => sum + active, 0),
      2 * 3 * agents.length,
    )
    assert.equal(uses.length, PAIRS_A_MINUTE_MAX + 1)
    const ids = tokenIds(ENDED_A_MINUTE_MAX, 1)
    for (const one of [store, beside]) present(one, [keys[0] ?? '', agents[0]?.id ?? ''], ids, START / 1000 + 300)
    for (const one of [store, beside]) present(one, [keys[1] ?? '', agents[0]?.id ?? ''], ids, START / 1000 + 300)
    await Promise.all([store.settle(), beside.settle()])
    assert.equal((await lateUsesOf(store)).length, ENDED_A_MINUTE_MAX)
  } finally {
    await beside.close()
  }
})

test('of tokens that had only expired fewer begin in a minute, and the others come first', async t => {
  const { store, clock } = await makeWorld(t)
  const [{ id }, key] = [await createAgent(store), await addApiKey(store)]
  const [late, revoked] = [tokenIds(60, 1), tokenIds(60, 2)]
  present(store, [key, id], late, START / 1000 - 60)
  present(store, [key, id], revoked, START / 1000 + 300)
  await store.settle()
  const counts = async () => {
    const uses = await lateUsesOf(store)
    const expired = uses.filter(({ isExpired }) => isExpired)
    return [expired.length, uses.length - expired.length, uses.reduce((sum, { count }) => sum + count, 0)]
  }
  assert.deepEqual(await counts(), [EXPIRED_A_MINUTE_MAX, 50, 100])
  present(store, [key, id], late.slice(0, 10), START / 1000 - 60)
  await store.settle()
  assert.deepEqual(await counts(), [EXPIRED_A_MINUTE_MAX, 50, 110], 'what is listed goes on counting')
  const [use] = await usesOf(store)
  assert.equal(use?.afterEnd, 130, 'and what is not is counted with its agent')
  clock.advance(MINUTE_MS)
  present(store, [key, id], revoked, START / 1000 + 300)
  await store.settle()
  assert.deepEqual((await counts()).slice(0, 2), [EXPIRED_A_MINUTE_MAX, 60])
})

test('what was counted survives a restart; a clock that was set back forgets what another clock counted', async t => {
  const world = await makeTestStore(null)
  let opened = world
  t.after(() => opened.dispose())
  const [{ id }, key] = [await createAgent(world.store), await addApiKey(world.store)]
  world.store.usage.countActive(key, id)
  present(world.store, [key, id], tokenIds(1, 1), START / 1000 + 300)
  opened = await world.reopen(null)
  assert.deepEqual(
    (await usesOf(opened.store)).map(({ active, inactive, afterEnd }) => [active, inactive, afterEnd]),
    [[1, 1, 1]],
  )
  assert.equal((await lateUsesOf(opened.store)).length, 1)
  await opened.store.close()
  opened.clock.advance(-DAY_MS)
  await resetTestedClock(opened, act('clock.reset'))
  opened = await world.reopen(null)
  assert.deepEqual([await usesOf(opened.store), await lateUsesOf(opened.store)], [[], []])
})

test('a clock that jumps ahead between use and hand-over moves no use by more', async t => {
  const { store, clock } = await makeWorld(t)
  const [{ id }, key] = [await createAgent(store), await addApiKey(store)]
  store.usage.countActive(key, id)
  clock.advance(3_600_000)
  const now = clock.wall()
  await store.settle()
  const [use] = await usesOf(store)
  assert.ok(use !== undefined && use.firstAt <= now && use.firstAt > now - MINUTE_MS, String(use?.firstAt))
  assert.equal(use.minute, MINUTE_MS * Math.floor(now / MINUTE_MS))
})

test('an id that is not in the store counts as none that is known', async t => {
  const { store } = await makeWorld(t)
  const [{ id }, key] = [await createAgent(store), await addApiKey(store)]
  store.usage.countActive(randomUUID(), id)
  store.usage.countActive(key, randomUUID())
  present(store, [randomUUID(), id], tokenIds(1, 1), START / 1000 + 300)
  await store.settle()
  const uses = (await usesOf(store)).map(({ agentId, apiKeyId, active, inactive }) => [
    agentId,
    apiKeyId,
    active + inactive,
  ])
  assert.deepEqual(
    uses.toSorted(([, a], [, b]) => (String(a) < String(b) ? 1 : -1)),
    [
      [null, null, 2],
      [null, key, 1],
    ],
  )
  assert.deepEqual(await lateUsesOf(store), [])
})

testEmbedded('uses are removed after 30 days, in steps', async t => {
  const world = await makeWorld(t)
  const { clock, file, store } = world
  const retain = () =>
    withWritingConnection(world, connection => inTransaction(connection, tx => retentionStep(tx, KEEP_LONG)))
  const [{ id }, key] = [await createAgent(store), await addApiKey(store)]
  present(store, [key, id], tokenIds(1, 1), START / 1000 + 300)
  await store.settle()
  const rows = () => [countRows(file, 'token_use'), countRows(file, 'late_use')]
  assert.deepEqual(rows(), [2, 1], 'with the row of all others')
  clock.advance(30 * DAY_MS - 1000)
  retain()
  assert.deepEqual(rows(), [2, 1])
  clock.advance(MINUTE_MS)
  retain()
  assert.deepEqual(rows(), [0, 0])
})

testEmbedded('lists and look-ups of uses seek in an index, and sort nothing', async t => {
  const { store, file } = await makeWorld(t)
  const [{ id: agentId }, apiKeyId] = [await createAgent(store), await addApiKey(store)]
  const [tokenId = ''] = tokenIds(1, 1)
  const reads = Object.entries({ agent: { agentId, apiKeyId }, key: { apiKeyId }, at: {} }).flatMap(([by, filters]) => [
    [`token_use_${by}`, () => store.usage.listUses(page(filters))] as const,
    [`late_use_${by}`, () => store.usage.listLateUses(page(filters))] as const,
  ])
  const ofToken = () => store.usage.listLateUses(page({ tokenId }))
  for (const [index, read] of [...reads, ['late_use_token', ofToken] as const]) {
    const [scan = '', ...others] = await statementsDuring(read, / from (?:token|late)_use /)
    assert.deepEqual(others, [])
    const [first = '', ...rest] = planOf(file, scan)
    assert.match(first, new RegExp(`^SEARCH \\w+ USING INDEX ${index} \\(.*at\\)?[<>]`))
    assert.deepEqual(
      rest.filter(line => !/^(CORRELATED SCALAR SUBQUERY|SEARCH (agent|api_key) USING INTEGER PRIMARY KEY)/.test(line)),
      [],
    )
  }
  const resolved = await statementsDuring(async () => {
    const reference = { id: tokenId, lifetimeSeconds: 300, digest: '' }
    store.usage.countInactive(apiKeyId, { kind: 'unfound', reference, audiences: null, isSignedBy: async () => false })
    await store.settle()
  }, /from ended/)
  assert.match(resolved.flatMap(text => planOf(file, text)).join(), /^SEARCH ended USING PRIMARY KEY[^,]*$/)
})
