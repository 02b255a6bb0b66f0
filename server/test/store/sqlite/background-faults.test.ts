// What fails in the background: it is reported, nothing ends, and the rest goes on.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import type { BackgroundTask } from '../../../src/store/background.ts'
import { makeRefusalCounter } from '../../../src/store/audit/audit-log.ts'
import type { Refused } from '../../../src/store/audit/refusals.ts'
import { given, type Program } from '../../../src/store/statement-program.ts'
import { makeMaintenanceSchedule } from '../../../src/store/maintenance.ts'
import {
  act,
  createAgent,
  issue,
  KEEP_LONG,
  makeTestStore,
  openTestedStore,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { countRows, readNumber, withFile } from '../../../../testkit/stores/store-file.ts'

type Fault = { readonly task: BackgroundTask; readonly message: string }

/** A store that keeps itself up, and what failed meanwhile. */
const makeWorld = async (t: TestContext) => {
  const world = await makeTestStore(null)
  await world.store.close()
  const { file, clock } = world
  const faults: Fault[] = []
  const store = await openTestedStore({
    file,
    retention: KEEP_LONG,
    clock,
    onFault: (task, fault) => void faults.push({ task, message: String(fault) }),
  })
  t.after(async () => {
    await store.close()
    await world.dispose()
  })
  return { ...world, store, faults }
}

const takeAway = ({ file }: Pick<TestStore, 'file'>, table: string) => {
  withFile(file, db => db.exec(`alter table ${table} rename to ${table}_away`))
  return () => withFile(file, db => db.exec(`alter table ${table}_away rename to ${table}`))
}

/** A durable write, which wakes the maintenance, until this holds. */
const until = async ({ store }: Pick<TestStore, 'store'>, holds: () => boolean): Promise<void> => {
  while (!holds()) assert.equal(await store.health.check(), null)
}

test('a task of the maintenance that fails is reported, keeps no other from its turn, and goes on once it can', async t => {
  const world = await makeWorld(t)
  const { store, file, clock, faults } = world
  const agent = await createAgent(store)
  await issue(store, agent, ...Array.from({ length: 65 }, () => ({})))
  const bringBack = takeAway(world, 'used_proof')
  await until(world, () => faults.length > 0)
  await store.agents.disable(agent.id, act('agent.disable'))
  await until(world, () => countRows(file, 'ended') === 65)
  await until(world, () => readNumber(file, `select count(*) from cutoff where state = 'open'`) === 0)
  assert.ok(faults.every(({ task, message }) => task === 'removal of used proofs' && message.includes('used_proof')))
  bringBack()
  const assertion = { id: randomBytes(16).toString('hex'), until: clock.wall() + 1 }
  assert.equal(await store.credentials.useAssertion(assertion), 'first_use')
  clock.advance(2)
  await until(world, () => countRows(file, 'used_proof') === 0)
})

/** A script of a store whose tables are empty. */
const runOnNothing = <T>(program: Program<T>): T => {
  let step = program.next()
  while (step.done !== true) step = program.next({ rows: [], changes: 0 })
  return step.value
}

test('a turn of the maintenance that fails before a task was asked rests as a whole, and is no fault of the task before', () => {
  const faults: BackgroundTask[] = []
  const maintenance = makeMaintenanceSchedule({
    timing: TIMING,
    retention: KEEP_LONG,
    sealKey: null,
    keyPolicy: null,
    steady: () => 0,
    onKeyWanted: () => undefined,
    onSeal: () => undefined,
    onRetention: () => undefined,
    onFault: task => void faults.push(task),
    retentionStep: () => given('nothing_left'),
  })
  const cannotRead = new Error('permission denied')
  assert.equal(runOnNothing(maintenance.due(() => 0))?.name, 'retention')
  assert.equal(maintenance.failed(cannotRead), true)
  assert.equal(maintenance.failed(cannotRead), false)
  assert.equal(runOnNothing(maintenance.due(() => 0)), undefined)
  assert.equal(maintenance.failed(cannotRead), false)
  assert.deepEqual(faults, ['retention', 'turn of maintenance', 'turn of maintenance'])
})

test('counts of refusals that cannot be written are reported, and later ones are written', async t => {
  const world = await makeWorld(t)
  const { store, faults, file } = world
  // Retention looks for old rows in that table, and may be due meanwhile.
  const ofCounts = (): readonly Fault[] => faults.filter(({ task }) => task === 'refusal counts')
  const bringBack = takeAway(world, 'refused')
  store.audit.countRefusal({ way: 'client', clientId: null }, '192.0.2.1')
  await store.settle()
  assert.equal(ofCounts().length, 1)
  bringBack()
  store.audit.countRefusal({ way: 'client', clientId: null }, 'unknown')
  await store.settle()
  assert.equal(ofCounts().length, 1)
  assert.equal(readNumber(file, `select count from refused where source = 'unknown'`), 1)
})

test('usage that cannot be written is reported, tokens are issued meanwhile, and later usage is written', async t => {
  const world = await makeWorld(t)
  const { store, faults } = world
  const agent = await createAgent(store)
  const ofCounts = (): readonly Fault[] => faults.filter(({ task }) => task === 'usage counts')
  const { clients } = await store.agents.viewForIssue([agent.clientId], 'fresh')
  const number = clients[0]?.number ?? assert.fail('The agent is not in the store.')
  const issueCounted = async (): Promise<void> => {
    const [token] = await issue(store, agent, {})
    store.usage.countIssued(number, token?.id ?? assert.fail('No token.'))
    await store.settle()
  }
  const bringBack = takeAway(world, 'agent_usage')
  await issueCounted()
  assert.equal(ofCounts().length, 1)
  bringBack()
  await issueCounted()
  assert.equal(ofCounts().length, 1)
  assert.equal((await store.usage.list(10))[0]?.tokensLastMinute, 1)
})

test('of counts that are written together only the one that causes a fault is lost', async () => {
  const written: Refused[] = []
  const faults: string[] = []
  const handOver = async (refused: readonly Refused[]): Promise<void> => {
    if (refused.some(({ source }) => source === '192.0.2.2')) throw new Error('a row that no store takes')
    written.push(...refused)
    return Promise.resolve()
  }
  const counter = makeRefusalCounter({ timing: TIMING, handOver, onFault: task => void faults.push(task) })
  for (const source of ['192.0.2.1', '192.0.2.2', '192.0.2.3'] as const) {
    counter.count({ way: 'client', clientId: null }, source)
  }
  await counter.settle()
  assert.deepEqual(
    written.map(({ source }) => source),
    ['192.0.2.1', '192.0.2.3'],
  )
  assert.deepEqual(faults, ['refusal counts'])
})

test('counts are handed over a few at a time, and what a store that cannot be had did not take waits', async () => {
  const handed: number[] = []
  let isThere = true
  const handOver = async (refused: readonly Refused[]): Promise<void> => {
    handed.push(refused.length)
    // The second piece finds the store gone.
    isThere &&= handed.length !== 2
    if (!isThere) throw new Unavailable('no store')
    return Promise.resolve()
  }
  const faults: string[] = []
  const counter = makeRefusalCounter({ timing: TIMING, handOver, onFault: task => void faults.push(task) })
  for (let n = 0; n < 100; n += 1) counter.count({ way: 'client', clientId: null }, `192.0.2.${n}`)
  await counter.settle()
  assert.deepEqual(handed, [32, 32])
  isThere = true
  await counter.settle()
  assert.deepEqual(handed.slice(2), [32, 32, 4])
  assert.deepEqual(faults, [])
})
