// The store's clock: leased in the file before it is used, never standing, never stepping back.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { issuedAtOf } from '../../../src/domain/ledger/claims.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import { CLOCK_OFF_MS_MAX, LEASE_MS, LEASE_WAIT_MS } from '../../../src/store/lease.ts'
import { makeManualClock } from '../../../../testkit/stores/manual-clock.ts'
import { clockOf, startClock } from '../../../src/store/sqlite/connection/clock.ts'
import { StoreProblem } from '../../../src/store/store-problem.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import type { Retention } from '../../../src/store/retention.ts'
import { resetClock } from '../../../src/store/offline/sqlite/act-alone.ts'
import {
  act,
  createAgent,
  issue,
  KEEP_LONG,
  makeTestStore,
  newTokens,
  NO_HISTORY_FILTERS,
  START,
  type TestAgent,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { readNumber, withFile } from '../../../../testkit/stores/store-file.ts'

const makeWorld = async (
  t: TestContext,
  retention: Retention | null = null,
): Promise<TestStore & { readonly agent: TestAgent }> => {
  const world = await makeTestStore(retention)
  t.after(world.dispose)
  return { ...world, agent: await createAgent(world.store) }
}

const leaseOf = ({ file }: Pick<TestStore, 'file'>): number => readNumber(file, 'select clock_lease from service')

const isUnavailable = (pattern: RegExp) => (fault: unknown) =>
  fault instanceof Unavailable && pattern.test(fault.message)

test('no answer uses a time beyond the lease, which runs ahead of the clock by a second at most', async t => {
  const world = await makeWorld(t, KEEP_LONG)
  const { store, agent, clock } = world
  let now = START
  for (const step of [0, 1, 499, 1, 500, 1000, 1001, 12_345, 999, 2]) {
    clock.advance(step)
    now += step
    const [token] = await issue(store, agent, {})
    assert.ok(token)
    assert.equal(issuedAtOf(token.id), now)
    assert.ok(leaseOf(world) >= now, `issued at ${now}, the lease ends at ${leaseOf(world)}`)
    clock.advance(step)
    now += step
    await store.ledger.find([token])
    assert.ok(leaseOf(world) >= now, `looked up at ${now}, the lease ends at ${leaseOf(world)}`)
    assert.ok(leaseOf(world) <= now + LEASE_MS)
  }
})

test('a look-up past half of the lease renews it without a writer', async t => {
  const world = await makeWorld(t, KEEP_LONG)
  const { store, agent, clock } = world
  const tokens = await issue(store, agent, {})
  const first = leaseOf(world)
  clock.advance(LEASE_MS / 2)
  await store.ledger.find(tokens)
  assert.equal(leaseOf(world), first, 'half of it is not past half')
  clock.advance(1)
  await store.ledger.find(tokens)
  await store.ledger.exclusively(() => Promise.resolve()) // behind the renewal, which the look-up did not wait for
  assert.equal(leaseOf(world), START + LEASE_MS / 2 + 1 + LEASE_MS)
})

test('checks of health, however many, do not carry the lease away from the clock', async t => {
  const world = await makeWorld(t)
  for (let n = 0; n < 20; n += 1) {
    const checks = Array.from({ length: 200 }, () => world.store.health.check())
    assert.ok((await Promise.all(checks)).every(problem => problem === null))
  }
  assert.ok(leaseOf(world) <= START + LEASE_MS, `the lease is ${leaseOf(world) - START} ms ahead`)
})

test('an expired token stays expired when the wall clock steps back while the service runs', async t => {
  const { store, agent, clock } = await makeWorld(t)
  const tokens = await issue(store, agent, { lifetimeSeconds: 10 })
  clock.advance(10_000)
  const isDead = async () => (await store.ledger.find(tokens)).map(token => token?.dead)
  assert.deepEqual(await isDead(), [true])
  clock.stepWall(-3_600_000)
  assert.deepEqual(await isDead(), [true])
  clock.advance(1)
  assert.deepEqual(await isDead(), [true])
})

test('an expired token stays expired when the store is opened again with the wall clock 30 s back', async t => {
  const world = await makeWorld(t)
  const tokens = await issue(world.store, world.agent, { lifetimeSeconds: 10 })
  world.clock.advance(10_000)
  assert.deepEqual(
    (await world.store.ledger.find(tokens)).map(token => token?.dead),
    [true],
  )
  world.clock.stepWall(-30_000)
  const { store, dispose } = await world.reopen(null)
  t.after(dispose)
  assert.deepEqual(
    (await store.ledger.find(tokens)).map(token => token?.dead),
    [true],
  )
  const [again] = await newTokens(store, world.agent, [{}])
  assert.ok(again && issuedAtOf(again.id) >= START + 10_000)
})

test('time goes on after the wall clock stepped back', async t => {
  const { store, agent, clock } = await makeWorld(t)
  clock.stepWall(-20_000)
  const tokens = await issue(store, agent, { lifetimeSeconds: 10 })
  clock.advance(9_999)
  assert.deepEqual(
    (await store.ledger.find(tokens)).map(token => token?.dead),
    [false],
  )
  clock.advance(1)
  assert.deepEqual(
    (await store.ledger.find(tokens)).map(token => token?.dead),
    [true],
  )
})

test('a store whose lease is 60 s ahead opens; one further ahead is refused with the way out', async t => {
  const world = await makeWorld(t)
  await world.store.close()
  const wall = world.clock.wall()
  const open = (lease: number) => {
    withFile(world.file, db => db.prepare('update service set clock_lease = ?').run(lease))
    return openSqliteStore({ file: world.file, timing: TIMING, retention: null, clock: world.clock })
  }
  await (await open(wall + CLOCK_OFF_MS_MAX)).close()
  await assert.rejects(
    open(wall + CLOCK_OFF_MS_MAX + 1),
    (fault: unknown) =>
      fault instanceof StoreProblem && /^[^\n]*60 s behind[^\n]*'mintmark clock reset'[^\n]*$/.test(fault.message),
  )
})

test('a service waits until the clock has passed a lease at most 2 s ahead, so that no token is from the future', async t => {
  const { agent, store, clock, file } = await makeWorld(t)
  await store.close()
  const startAhead = async (ahead: number, retention: Retention | null) => {
    withFile(file, db => db.prepare('update service set clock_lease = ?').run(clock.wall() + ahead))
    const before = clock.monotonic()
    const opened = await openSqliteStore({ file, timing: TIMING, retention, clock })
    const waitedMs = clock.monotonic() - before
    const [token] = await issue(opened, agent, {})
    await opened.close()
    assert.ok(token)
    return { waitedMs, fromFuture: issuedAtOf(token.id) - clock.wall() }
  }
  for (const ahead of [1, 999, LEASE_MS, LEASE_WAIT_MS]) {
    assert.deepEqual(await startAhead(ahead, KEEP_LONG), { waitedMs: ahead, fromFuture: 0 })
  }
  assert.deepEqual(await startAhead(0, KEEP_LONG), { waitedMs: 0, fromFuture: 0 })
  assert.deepEqual(await startAhead(-5000, KEEP_LONG), { waitedMs: 0, fromFuture: 0 })
  // One further ahead is waited out in part; a command that acts once waits for nothing.
  assert.deepEqual(await startAhead(LEASE_WAIT_MS + 500, KEEP_LONG), { waitedMs: LEASE_MS, fromFuture: 1500 })
  assert.deepEqual(await startAhead(700, null), { waitedMs: 0, fromFuture: 700 })
})

test('a reset of the clock ends every token, shows them in history, and lets new ones live by the machine’s time', async t => {
  const world = await makeWorld(t)
  const { agent, clock, file } = world
  clock.advance(7_200_000)
  const tokens = await issue(world.store, agent, {}, { lifetimeSeconds: 86_400 })
  await world.store.close()
  clock.stepWall(-7_200_000)
  await assert.rejects(openSqliteStore({ file, timing: TIMING, retention: null, clock }), StoreProblem)
  resetClock({ file, timing: TIMING, act: act('clock.reset'), wall: clock.wall() })
  const { store, dispose } = await world.reopen(KEEP_LONG)
  t.after(dispose)
  assert.deepEqual(await store.ledger.find(tokens), [undefined, undefined])
  const request = { filters: NO_HISTORY_FILTERS, audiences: null, after: null, limit: 10 }
  assert.deepEqual(
    (await store.ledger.listEnded(request)).records.map(({ id, reason, endedAt }) => [id, reason, endedAt]),
    tokens.map(({ id }) => [id, 'bulk_revocation', clock.wall()] as const).toSorted(([a], [b]) => (a < b ? 1 : -1)),
  )
  // Each ended before it was issued, by the clock that counts now.
  for (const token of tokens) {
    assert.equal((await store.ledger.show(token.id))?.end?.endedAt, clock.wall())
    assert.equal(await store.ledger.end(token, 'manual_revocation', act('token.revoke')), 'already_ended')
  }
  const [next] = await issue(store, agent, {})
  assert.ok(next)
  assert.equal(issuedAtOf(next.id), clock.wall())
  assert.deepEqual(
    (await store.ledger.find([next])).map(token => token?.dead),
    [false],
  )
})

test('a wall clock that jumps ahead by 60 s is followed; beyond that nothing is answered until it is right again', async t => {
  const { store, agent, clock } = await makeWorld(t)
  const tokens = await issue(store, agent, { lifetimeSeconds: 3600 })
  const jumped = /jumped ahead by more than 60 s/
  clock.stepWall(CLOCK_OFF_MS_MAX)
  assert.deepEqual(
    (await store.ledger.find(tokens)).map(token => token?.dead),
    [false],
  )
  clock.stepWall(1)
  await assert.rejects(store.ledger.find(tokens), isUnavailable(jumped))
  await assert.rejects(issue(store, agent, {}), isUnavailable(jumped))
  const [token] = tokens
  assert.ok(token)
  await assert.rejects(store.ledger.end(token, 'manual_revocation', act('token.revoke')), isUnavailable(jumped))
  await assert.rejects(
    store.ledger.exclusively(() => Promise.resolve()),
    isUnavailable(jumped),
  )
  assert.match((await store.health.check()) ?? '', jumped)
  clock.stepWall(-CLOCK_OFF_MS_MAX - 1)
  assert.equal(await store.health.check(), null)
  assert.deepEqual(
    (await store.ledger.find(tokens)).map(found => found?.dead),
    [false],
  )
  assert.equal(await store.ledger.end(token, 'manual_revocation', act('token.revoke')), 'ended')
})

// Another thread moves time on, the steady clock first: who reads the wall clock first sees no step.
const MOVE_ON = `
  const cells = new BigInt64Array(require('node:worker_threads').workerData)
  for (let n = 0; n < 300_000; n += 1) {
    Atomics.add(cells, 1, 1n)
    Atomics.add(cells, 0, 1n)
  }`

test('time that passes between the two readings of a clock is not taken for a step ahead', async () => {
  const manual = makeManualClock(START)
  const now = clockOf(startClock(START, manual.buffer))
  const mover = new Worker(MOVE_ON, { eval: true, workerData: manual.buffer })
  while (manual.wall() < START + 300_000) now()
  await once(mover, 'exit')
  assert.equal(now(), manual.wall())
})

test('acts of two processes on one store never go back in time, nor do ids after an act', async t => {
  const world = await makeWorld(t)
  const { store, agent, file } = world
  const behind = makeManualClock(START - 20_000)
  const elsewhere = await openSqliteStore({ file, timing: TIMING, retention: null, clock: behind })
  t.after(elsewhere.close)
  const times: number[] = []
  for (let n = 0; n < 4; n += 1) {
    world.clock.advance(700)
    const one = n % 2 ? store : elsewhere
    times.push((await one.agents.disable(agent.id, act('agent.disable')))?.disabledAt ?? 0)
    await one.agents.enable(agent.id, act('agent.enable'))
    const [token] = await newTokens(n % 2 ? elsewhere : store, agent, [{}])
    assert.ok(token)
    times.push(issuedAtOf(token.id))
  }
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  )
  assert.ok(times.every(time => time >= START))
})

test('commands that open the store one after another do not carry its clock on', async t => {
  let world: TestStore = await makeTestStore(KEEP_LONG)
  t.after(() => world.dispose())
  const { store, clock } = world
  await issue(store, await createAgent(store), {})
  const lease = leaseOf(world)
  assert.equal(lease, START + LEASE_MS)
  for (let command = 0; command < 20; command += 1) {
    world = await world.reopen(null)
    await createAgent(world.store)
    clock.advance(10)
  }
  // Each began at the lease and used no more than what it needed.
  assert.ok(leaseOf(world) <= lease + 20 * 10, `the lease has gone ${leaseOf(world) - lease} ms further`)
})
