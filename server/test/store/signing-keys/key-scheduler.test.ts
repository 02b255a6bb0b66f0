// What a service does with signing keys by itself: it makes a next one, rotates, and lets old ones go, once each.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  dueLifeStep,
  KEY_MARGIN_SECONDS,
  type KeyPolicy,
  type KeyRecord,
  PUBLISHED_SECONDS_MIN,
} from '../../../src/domain/keys/key-life.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import { makeManualClock } from '../../../../testkit/stores/manual-clock.ts'
import { startClock, steadyOf } from '../../../src/store/sqlite/connection/clock.ts'
import { makeKeyScheduler } from '../../../src/store/signing-keys/key-scheduler.ts'
import { runProgram } from '../../../src/store/sqlite/connection/database.ts'
import {
  act,
  KEEP_LONG,
  makeTestStore,
  openTestedStore,
  someSigningKey,
  START,
  type TestedStore,
  testEmbedded,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import {
  countRows,
  inTransaction,
  readRows,
  withFile,
  withWritingConnection,
} from '../../../../testkit/stores/store-file.ts'

const DAY_MS = 86_400_000
const POLICY: KeyPolicy = { algorithm: 'ES256', rotationDays: 30, lifetimeSeconds: 300 }

const statesOf = (file: string): readonly unknown[] =>
  readRows(file, 'select state from signing_key order by n').map(({ state }) => state)

test('time that passes by a step of the clock is no running time', () => {
  const clock = makeManualClock(START)
  const steady = steadyOf(startClock(0, clock.buffer))
  const before = steady()
  clock.stepWall(50_000)
  assert.equal(steady() - before, 0)
  clock.advance(7)
  assert.equal(steady() - before, 7)
})

const key = (changed: Partial<KeyRecord> = {}): KeyRecord => ({
  number: 1,
  publicJwk: someSigningKey().publicJwk,
  thumbprint: 'x',
  state: 'current',
  imported: false,
  createdAt: START,
  signsFrom: START,
  signsUntil: null,
  goneAt: null,
  steadyMs: 0,
  wanted: false,
  ...changed,
})

const dueOf = (keys: readonly KeyRecord[], now = START, policy: Partial<KeyPolicy> = {}): string =>
  dueLifeStep({ keys, now, longest: 300, policy: { ...POLICY, ...policy } })?.kind ?? 'nothing'

const next = (changed: Partial<KeyRecord> = {}): KeyRecord =>
  key({ number: 2, state: 'next', signsFrom: null, steadyMs: 1000 * PUBLISHED_SECONDS_MIN, ...changed })

test('a rotation is due on the day, not before, and never where it is off', () => {
  const keys = [key(), next()]
  assert.equal(dueOf(keys, START + 30 * DAY_MS - 1), 'nothing')
  assert.equal(dueOf(keys, START + 30 * DAY_MS), 'promote')
  assert.equal(dueOf(keys, START + 3000 * DAY_MS, { rotationDays: null }), 'nothing')
  assert.equal(dueOf([key(), next({ wanted: true })], START, { rotationDays: null }), 'promote')
})

test('a next key signs once it was published for its time, to the millisecond', () => {
  const late = START + 31 * DAY_MS
  assert.equal(dueOf([key(), next({ steadyMs: 1000 * PUBLISHED_SECONDS_MIN - 1 })], late), 'nothing')
  assert.equal(dueOf([key(), next()], late), 'promote')
})

test('a retained key goes once its longest token and a margin are over, an imported one after a day', () => {
  const kept = 1000 * (300 + KEY_MARGIN_SECONDS)
  const retained = (steadyMs: number, imported = false) => key({ number: 3, state: 'retained', steadyMs, imported })
  assert.equal(dueOf([key(), next(), retained(kept - 1)]), 'nothing')
  assert.equal(dueOf([key(), next(), retained(kept)]), 'drop')
  assert.equal(dueOf([key(), next(), retained(kept, true)]), 'nothing')
  assert.equal(dueOf([key(), next(), retained(DAY_MS + 60_000, true)]), 'drop')
})

test('another algorithm is configured: the next key is replaced by one of it, which signs as soon as it may', () => {
  const other = { algorithm: 'EdDSA' } as const
  const { publicJwk } = someSigningKey('EdDSA')
  assert.equal(dueOf([key(), next()], START, other), 'discard')
  assert.equal(dueOf([key()], START, other), 'make')
  assert.equal(dueOf([key(), next({ publicJwk, steadyMs: 0 })], START, other), 'nothing')
  assert.equal(dueOf([key(), next({ publicJwk })], START, other), 'promote')
})

test('a store without a current key is left to migrate', () => assert.equal(dueOf([]), 'nothing'))

/** A service on the store; `until` lets time pass until it has brought the keys to these states. */
const openService = async (t: TestContext, { file, clock }: TestStore, policy = POLICY) => {
  const maker = { make: () => Promise.resolve(someSigningKey()) }
  const store = await openTestedStore({ file, retention: KEEP_LONG, clock, keys: { policy, maker } })
  t.after(store.close)
  const until = async (states: readonly string[]): Promise<void> => {
    while (statesOf(file).join() !== states.join()) {
      clock.advance(TIMING.keyCheckMs)
      // A durable write wakes the maintenance.
      assert.equal(await store.health.check(), null)
    }
  }
  return { store, until }
}

const pass = (clock: TestStore['clock'], store: TestedStore, ms: number): Promise<string | null> => {
  clock.advance(ms)
  return store.health.check()
}

test('a service makes a next key, rotates to it in its time, and lets the old one go, as the system', async t => {
  const world = await makeTestStore(null)
  await world.store.close()
  t.after(() => world.dispose())
  const { store, until } = await openService(t, world)
  await until(['current', 'next'])
  const steady = () => readRows(world.file, `select steady_ms from signing_key where state = 'next'`)[0]?.['steady_ms']
  while (Number(steady()) < 1000 * PUBLISHED_SECONDS_MIN) await pass(world.clock, store, TIMING.keyCheckMs)
  assert.deepEqual(statesOf(world.file), ['current', 'next'])
  // The wall clock alone: the service does not run for a month in a moment, and a start takes any step.
  withFile(world.file, db =>
    db.exec(`update signing_key set signs_from = signs_from - ${30 * DAY_MS} where state = 'current'`),
  )
  await until(['gone', 'current', 'next'])
  const rows = readRows(world.file, `select kind, actor from audit where kind like 'signing_key.%' order by n`)
  const verbs = rows.slice(1).map(({ kind }) => String(kind).replace('signing_key.', ''))
  assert.deepEqual(verbs.slice(0, 2), ['create', 'rotate'])
  // The key after next is made aside, while time goes on: the old one may be let go before it is there.
  assert.deepEqual(verbs.slice(2).toSorted(), ['create', 'drop'])
  assert.ok(rows.slice(1).every(({ actor }) => actor === '{"type":"system"}'))
})

test('a rotation that was asked for is done as soon as it may be', async t => {
  const world = await makeTestStore(null)
  await world.store.close()
  t.after(() => world.dispose())
  const { store, until } = await openService(t, world, { ...POLICY, rotationDays: null })
  await until(['current', 'next'])
  await store.signingKeys.rotate({ candidate: null, force: false }, act('signing_key.rotate'))
  assert.deepEqual(statesOf(world.file), ['current', 'next'])
  await until(['retained', 'current', 'next'])
})

testEmbedded('two that find the same step due do it once', async t => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  await world.store.signingKeys.createNext(someSigningKey(), act('signing_key.create'))
  withFile(world.file, db => db.exec(`update signing_key set steady_ms = 1000000, wanted = state = 'next'`))
  withWritingConnection(world, one => {
    withWritingConnection(world, other => {
      const steady = steadyOf(startClock(0, world.clock.buffer))
      const steps = [one, other].map(({ sql }) => {
        const step = makeKeyScheduler({ timing: TIMING, policy: POLICY, steady, onKeyWanted: () => undefined })
        return runProgram(sql, step(world.clock.wall))
      })
      for (const [n, connection] of [one, other].entries()) {
        const step = steps[n] ?? assert.fail('Nothing is due.')
        inTransaction(connection, step)()
      }
    })
  })
  assert.deepEqual(statesOf(world.file), ['retained', 'current'])
  assert.equal(countRows(world.file, `audit where kind = 'signing_key.rotate'`), 1)
})
