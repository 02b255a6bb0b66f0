// Refused authentications in the store: counted by what was presented, address and minute, in a bounded number of rows.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { REFUSALS_A_MINUTE_MAX, type RefusalFilters } from '../../../src/domain/audit/attempt.ts'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import { countRefusals, type Refused } from '../../../src/store/audit/refusals.ts'
import { makeRefusalCounter } from '../../../src/store/audit/audit-log.ts'
import { retentionStep } from '../../../src/store/sqlite/writer/maintenance.ts'
import { KEEP_LONG, makeTestStore, START, type TestStore } from '../../../../testkit/stores/store.ts'
import { countRows, inTransaction, withWritingConnection } from '../../../../testkit/stores/store-file.ts'

const REFUSALS_KEPT_MS = 30 * 86_400_000
const NO_FILTERS: RefusalFilters = { way: null, clientId: null, source: null, since: null, before: null }
const MINUTE_MS = 60_000

const makeWorld = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return world
}

const count = (world: TestStore, ...refused: readonly Refused[]): void =>
  withWritingConnection(world, connection => inTransaction(connection, tx => countRefusals(tx, refused)))

const list = async ({ store }: TestStore, filters: Partial<RefusalFilters> = {}, limit = 1000) => {
  const request = { filters: { ...NO_FILTERS, ...filters }, audiences: null, after: null, limit }
  return (await store.audit.listRefusals(request)).records.map(({ number, ...rest }) => {
    assert.ok(number > 0)
    return rest
  })
}

const from = (source: Refused['source'], rest: Partial<Refused> = {}): Refused => ({
  way: 'client',
  client: '',
  source,
  count: 1,
  ...rest,
})

test('what one minute brings from one address is one row, whatever thread hands it over; the next minute has its own', async t => {
  const world = await makeWorld(t)
  count(world, from('192.0.2.1', { client: 'a', count: 3 }), from('192.0.2.1'))
  world.clock.advance(MINUTE_MS - 1)
  count(world, from('192.0.2.1', { client: 'a', count: 4 }), from('192.0.2.2', { way: 'api_key' }))
  world.clock.advance(1)
  count(world, from('192.0.2.1', { client: 'a' }))
  const row = { way: 'client', clientId: 'a', source: '192.0.2.1' }
  assert.deepEqual(await list(world), [
    { ...row, minute: START + MINUTE_MS, count: 1 },
    { ...row, minute: START, way: 'api_key', clientId: null, source: '192.0.2.2', count: 1 },
    { ...row, minute: START, clientId: null, count: 1 },
    { ...row, minute: START, count: 7 },
  ])
  assert.equal((await list(world, { clientId: 'a' })).length, 2)
  assert.equal((await list(world, { way: 'api_key', before: START + MINUTE_MS })).length, 1)
  assert.equal((await list(world, { source: '192.0.2.1', since: START + 1 })).length, 1)
})

test('a minute has a bounded number of rows: what is beyond is counted as one for each way', async t => {
  const world = await makeWorld(t)
  const many = (start: number) =>
    Array.from({ length: REFUSALS_A_MINUTE_MAX }, (_, n) => from(`192.0.2.${start + n}`, { client: 'a', count: 2 }))
  count(world, ...many(0))
  assert.equal(countRows(world.file, 'refused'), REFUSALS_A_MINUTE_MAX)
  count(world, from('198.51.100.1'), from('198.51.100.2', { way: 'operator' }), ...many(1))
  assert.equal(countRows(world.file, 'refused'), REFUSALS_A_MINUTE_MAX + 2)
  const rest = (await list(world)).filter(({ source }) => source === null)
  assert.deepEqual(rest.map(({ way, clientId, count: counted }) => `${way} ${clientId} ${counted}`).toSorted(), [
    'client null 3',
    'operator null 1',
  ])
  assert.equal((await list(world, { source: '192.0.2.1' }))[0]?.count, 4, 'who was counted apart before still is')
})

test('counts are kept for their time and then removed', async t => {
  const world = await makeWorld(t)
  const retain = () =>
    withWritingConnection(world, connection => inTransaction(connection, tx => retentionStep(tx, KEEP_LONG)))
  count(world, from('192.0.2.1'))
  world.clock.advance(REFUSALS_KEPT_MS)
  retain()
  assert.equal(countRows(world.file, 'refused'), 1)
  world.clock.advance(1)
  retain()
  assert.equal(countRows(world.file, 'refused'), 0)
})

test('a thread counts in memory, bounded, and hands over once', async () => {
  const handed: (readonly Refused[])[] = []
  const handOver = (refused: readonly Refused[]) => {
    handed.push(refused)
    return Promise.resolve()
  }
  const counter = makeRefusalCounter({ timing: TIMING, handOver, onFault: assert.fail })
  for (let n = 0; n < 1000; n += 1) {
    counter.count({ way: 'client', clientId: 'a' }, '192.0.2.1')
    counter.count({ way: 'client', clientId: null }, `2001:db8::${n.toString(16)}`)
  }
  await counter.settle()
  const counts = handed.flat()
  await counter.settle()
  assert.deepEqual(handed.flat(), counts)
  assert.equal(counts.length, REFUSALS_A_MINUTE_MAX + 1)
  assert.deepEqual(counts[0], from('192.0.2.1', { client: 'a', count: 1000 }))
  assert.deepEqual(counts.at(-1), from('', { count: 1000 - (REFUSALS_A_MINUTE_MAX - 1) }))
})

test('where the store cannot be had the counts wait for it, and nobody else does', async () => {
  const handed: (readonly Refused[])[] = []
  let isThere = false
  const handOver = async (refused: readonly Refused[]) => {
    if (!isThere) throw new Unavailable('not now')
    handed.push(refused)
    return Promise.resolve()
  }
  const counter = makeRefusalCounter({ timing: TIMING, handOver, onFault: assert.fail })
  counter.count({ way: 'operator', clientId: null }, '192.0.2.1')
  await counter.settle()
  counter.count({ way: 'operator', clientId: null }, '192.0.2.1')
  isThere = true
  await counter.settle()
  assert.deepEqual(handed, [[from('192.0.2.1', { way: 'operator', count: 2 })]])
})
