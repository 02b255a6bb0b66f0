// Each fault of the store beside each task of the maintenance: what fails is reported, ends nothing and keeps nobody waiting,
// and is made up for once the fault is gone. docs/development/background-work.md says it.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { BackgroundTask } from '../../../src/store/background.ts'
import {
  DUE_TASKS,
  type DueStore,
  type DueTask,
  leftOf,
  makeDueStore,
  SOON,
} from '../../../../testkit/stores/due-work.ts'
import {
  isPostgresTested,
  KEEP_LONG,
  openTestedStore,
  PATIENT,
  someSigningKey,
  type TestedStore,
} from '../../../../testkit/stores/store.ts'
import { damageTable } from '../../../../testkit/stores/damage.ts'
import { execBeside, withFile } from '../../../../testkit/stores/store-file.ts'

/** What is not done where it should be must turn the test red, not leave it waiting. */
const WAITING = { timeout: 60_000 }
const POLL_MS = 50

/** Strikes the store of this file, which nobody has open; returns what mends it under the process that has it open then. */
type Strike = (file: string) => () => Promise<void> | void

type Fault = { readonly task: BackgroundTask; readonly fault: unknown }

const executing =
  (strike: string, mend: string): Strike =>
  file => {
    withFile(file, db => db.exec(strike))
    return () => execBeside(file, mend)
  }

const renamed = (table: string): Strike =>
  executing(`alter table ${table} rename to ${table}_away`, `alter table ${table}_away rename to ${table}`)

const columnRenamed = (table: string, column: string): Strike =>
  executing(
    `alter table ${table} rename column ${column} to ${column}_away`,
    `alter table ${table} rename column ${column}_away to ${column}`,
  )

const garbage = (table: string, column: string, text: string): Strike =>
  executing(
    `update ${table} set ${column} = replace(${column}, '${text}', '${text}${text}')`,
    `update ${table} set ${column} = replace(${column}, '${text}${text}', '${text}')`,
  )

/** What is wrong with what the task alone uses. */
const ERRORS: Readonly<Record<DueTask, Strike>> = {
  'audit seals': renamed('seal'),
  'life of signing keys': columnRenamed('signing_key', 'wanted'),
  'removal of used proofs': renamed('used_proof'),
  'removal of silent verifiers': renamed('verifier'),
  'removal of ended sessions': renamed('session'),
  'backfill of revocations': columnRenamed('cutoff', 'fill_id'),
  'descendants of ended tokens': columnRenamed('cascade', 'fill'),
  retention: renamed('idempotency'),
}

/** Tasks that read what may be no JSON. */
const GARBAGE: Partial<Readonly<Record<DueTask, Strike>>> = {
  'descendants of ended tokens': garbage('lineage', 'ancestors', '['),
}

/** Tasks with a table that nobody else writes, which the store itself refuses. */
const DAMAGE: Partial<Readonly<Record<DueTask, Strike>>> = {
  'audit seals': damageTable('seal'),
  'removal of used proofs': damageTable('used_proof'),
  'removal of silent verifiers': damageTable('verifier'),
  'removal of ended sessions': damageTable('session'),
  retention: damageTable('refused'),
}

/** Retention removes nothing while rows of ended tokens have yet to follow. */
const isHeldUp = (task: DueTask, failed: DueTask): boolean =>
  task === 'retention' && ['backfill of revocations', 'descendants of ended tokens'].includes(failed)

const until = async (holds: () => Promise<boolean> | boolean): Promise<void> => {
  while (!(await holds())) await delay(POLL_MS)
}

/** A service on the store, with all that it does in the background. */
const openMaintained = async ({ file, clock }: DueStore, faults: Fault[]): Promise<TestedStore> =>
  openTestedStore({
    file,
    clock,
    timing: { ...PATIENT, ...SOON },
    retention: KEEP_LONG,

    sealing: { key: { bytes: new Uint8Array(32).fill(3), keyEncryptionKeyId: 'test' }, onSeal: () => undefined },
    keys: {
      policy: { algorithm: 'ES256', rotationDays: null, lifetimeSeconds: 300 },
      maker: { make: () => Promise.resolve(someSigningKey()) },
    },
    onFault: (task, fault) => void faults.push({ task, fault }),
  })

const isAnswered = async (store: TestedStore, { live }: DueStore): Promise<void> => {
  assert.equal(await store.health.check(), null)
  assert.deepEqual(
    (await store.ledger.find([live])).map(found => found?.dead),
    [false],
  )
}

const failsAlone = async (failed: DueTask, strike: Strike): Promise<void> => {
  const world = await makeDueStore()
  await using stack = new AsyncDisposableStack()
  stack.defer(world.dispose)
  await world.store.close()
  const mend = strike(world.file)
  const faults: Fault[] = []
  const store = await openMaintained(world, faults)
  stack.defer(store.close)
  await until(() => faults.length > 1)
  assert.deepEqual([...new Set(faults.map(({ task }) => task))], [failed])
  await isAnswered(store, world)
  const others = DUE_TASKS.filter(task => task !== failed && !isHeldUp(task, failed))
  await until(async () => (await leftOf(world.file, others)).length === 0)
  await mend()
  await until(async () => !(await leftOf(world.file)).some(task => !isHeldUp(task, failed)))
  await isAnswered(store, world)
}

const CELLS = {
  'an error of its own': ERRORS,
  'garbage in its rows': GARBAGE,
  'a table that the store refuses': DAMAGE,
}

suite(`tasks of the maintenance${isPostgresTested() ? ' on PostgreSQL' : ''}`, { concurrency: 4 }, () => {
  for (const [kind, cells] of Object.entries(CELLS)) {
    for (const task of DUE_TASKS) {
      const strike = cells[task]
      if (strike === undefined) continue
      void test(
        `${task}, with ${kind}: it is reported, all others are done, callers are answered, and it catches up`,
        WAITING,
        () => failsAlone(task, strike),
      )
    }
  }
})
