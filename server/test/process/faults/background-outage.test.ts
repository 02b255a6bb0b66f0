// Faults of the whole store while every task of the maintenance has something to do: nothing ends, what is answered is true,
// no fault is blamed on a task, and everything is made up for once the store is well. docs/development/background-work.md has the table.
import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import type { BackgroundTask } from '../../../src/store/background.ts'
import { clockOf, startClock } from '../../../src/store/sqlite/connection/clock.ts'
import { openForWriting } from '../../../src/store/sqlite/connection/connection.ts'
import { given } from '../../../src/store/statement-program.ts'
import { guardFiles } from '../../../src/store/sqlite/connection/serving-lock.ts'
import { type WritingConnection, writingConnection } from '../../../src/store/sqlite/connection/transaction.ts'
import { startMaintenance } from '../../../src/store/sqlite/writer/maintenance.ts'
import { databaseOf, runStatement, testCluster } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf } from '../../../../testkit/databases/postgres-store.ts'
import { BOTH, type Link, openLink } from '../../../../testkit/proxies/link.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { DUE_TASKS, type DueStore, leftOf, makeDueStore, SOON } from '../../../../testkit/stores/due-work.ts'
import { isPostgresTested, KEEP_LONG, someSigningKey, type TestedStore } from '../../../../testkit/stores/store.ts'
import { inTransaction, openBeside, withFile } from '../../../../testkit/stores/store-file.ts'

const WAITING = { timeout: 60_000 }
const POLL_MS = 20
const QUICK = { ...TIMING, ...SOON, databaseAnswerMs: 1000, connectMs: 1000, storeMs: 1000 }
/** Some turns of the maintenance. */
const STRUCK_MS = 1200
const SEAL_KEY = { bytes: new Uint8Array(32).fill(3), keyEncryptionKeyId: 'test' }
const POLICY = { algorithm: 'ES256', rotationDays: null, lifetimeSeconds: 300 } as const

type Mend = () => unknown

/** A caller gets the true state, or that nothing can be said. */
const isTrue = async (store: TestedStore, { live }: DueStore): Promise<void> => {
  try {
    const [found] = await store.ledger.find([live])
    assert.equal(found?.dead, false)
  } catch (fault) {
    assert.ok(fault instanceof Unavailable, String(fault))
  }
}

type Struck = {
  readonly world: DueStore
  readonly store: TestedStore
  readonly faults: readonly BackgroundTask[]
  readonly mend: Mend
  /** Whether some tasks may find that the store takes what others write. */
  readonly isPartial: boolean
}

const outlast = async ({ world, store, faults, mend, isPartial }: Struck): Promise<void> => {
  await isTrue(store, world)
  await delay(STRUCK_MS)
  await isTrue(store, world)
  if (!isPartial) assert.deepEqual(faults, [])
  await mend()
  // Where descendants had to wait for a moment, retention looks again a minute later.
  const tasks = DUE_TASKS.filter(task => !isPartial || task !== 'retention')
  while ((await leftOf(world.file, tasks)).length > 0) await delay(POLL_MS)
  while ((await store.health.check()) !== null) await delay(POLL_MS)
  const [found] = await store.ledger.find([world.live])
  assert.equal(found?.dead, false)
}

type FileStrike = (connection: WritingConnection, file: string) => Mend

const locked = (_: WritingConnection, file: string): Mend => {
  const other = openBeside(file)
  other.exec('begin immediate')
  return other.close
}

const FILE_STRIKES: Readonly<Record<string, FileStrike>> = {
  'is full': ({ db }) => {
    db.pragma(`max_page_count = ${Number(db.pragma('page_count'))}`)
    return () => db.pragma('max_page_count = 1000000')
  },
  'is read-only': ({ db }) => {
    db.pragma('query_only = on')
    return () => db.pragma('query_only = off')
  },
  'hangs, for a lock of another process': locked,
  'is gone': (_, file) => {
    renameSync(file, `${file}-away`)
    return () => renameSync(`${file}-away`, file)
  },
}

/** What the writing thread does, here: its connection is struck as its disk would be. */
const outlastOnFile = async (name: string, strike: FileStrike): Promise<void> => {
  const world = await makeDueStore()
  await using stack = new AsyncDisposableStack()
  stack.defer(world.dispose)
  const { store, file, clock } = world
  const db = openForWriting(file, TIMING)
  stack.defer(() => {
    db.close()
  })
  const cells = startClock(0, clock.buffer)
  const connection = writingConnection(db, clockOf(cells), { timing: QUICK, guard: guardFiles(file) })
  connection.db.pragma('busy_timeout = 0')
  // As in a service, the lease of the clock is ahead: readers do not wait for a write.
  inTransaction(connection, () => given(null))
  const mend = strike(connection, file)
  const faults: BackgroundTask[] = []
  const maintenance = startMaintenance(connection, {
    timing: QUICK,
    retention: KEEP_LONG,
    sealKey: SEAL_KEY,
    keyPolicy: POLICY,
    steady: () => clock.wall(),
    onKeyWanted: () => undefined,
    onSeal: () => undefined,
    onRetention: () => undefined,
    onFault: task => void faults.push(task),
    leaveGap: () => undefined,
    askedAt: () => Number.NEGATIVE_INFINITY,
  })
  stack.defer(maintenance.stop)
  maintenance.wake()
  await outlast({ world, store, faults, mend, isPartial: name === 'is full' })
}

type DatabaseStrike = (file: string, link: Link) => Mend | Promise<Mend>

const TABLES = ['service', 'seal', 'used_proof', 'cutoff', 'cascade', 'refused', 'ended', 'signing_key', 'upkeep']

const inDatabase = (file: string, text: string): void => withFile(file, db => db.exec(text))

/** Ends the sessions of the store. */
const endSessions = (file: string) =>
  runStatement(
    file.replace(databaseOf(file), 'postgres'),
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${databaseOf(file)}' and application_name like 'mintmark%'`,
  )

const alter = async (file: string, strike: string, mend: string): Promise<Mend> => {
  const owner = file.replace(databaseOf(file), 'postgres')
  await runStatement(owner, `alter database ${databaseOf(file)} ${strike}`)
  await endSessions(file)
  return async () => {
    await runStatement(owner, `alter database ${databaseOf(file)} ${mend}`)
    await endSessions(file)
  }
}

const DATABASE_STRIKES: Readonly<Record<string, DatabaseStrike>> = {
  'is full': file => {
    inDatabase(
      file,
      `create function full() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
      ${TABLES.map(table => `create trigger is_full before insert or update or delete on ${table} for each statement execute function full();`).join('\n')}`,
    )
    return () => inDatabase(file, TABLES.map(table => `drop trigger is_full on ${table};`).join('\n'))
  },
  'is read-only': file => alter(file, 'set default_transaction_read_only = on', 'reset default_transaction_read_only'),
  hangs: (_, link) => link.hold(BOTH),
  'is slow': (_, link) => link.delay(15),
  'is gone': file => alter(file, 'allow_connections false', 'allow_connections true'),
}

/** Another process maintains the store, until it is struck. */
const heldByAnother = `update upkeep set holder = 'another', until = mintmark_now() + 19000`
const LEFT_BY_ANOTHER = `set session_replication_role = replica; update upkeep set until = 0; reset session_replication_role`

const outlastOnDatabase = async (strike: DatabaseStrike): Promise<void> => {
  const world = await makeDueStore()
  await using stack = new AsyncDisposableStack()
  stack.defer(world.dispose)
  const { file, clock } = world
  await world.store.close()
  inDatabase(file, heldByAnother)
  const link = await openLink((await testCluster()).port)
  stack.defer(link.close)
  const faults: BackgroundTask[] = []
  const store = await openPostgresStore({
    address: await addressOf(databaseOf(file), { hosts: [{ host: '127.0.0.1', port: link.port }] }),
    timing: QUICK,
    retention: KEEP_LONG,
    clock,
    sealing: { key: SEAL_KEY, onSeal: () => undefined },
    keys: { policy: POLICY, maker: { make: () => Promise.resolve(someSigningKey()) } },
    onFault: task => void faults.push(task),
  })
  stack.defer(store.close)
  const mend = await strike(file, link)
  inDatabase(file, LEFT_BY_ANOTHER)
  await outlast({ world, store, faults, mend, isPartial: false })
}

suite('the maintenance beside a fault of the whole store', { concurrency: 5 }, () => {
  if (isPostgresTested()) {
    for (const [name, strike] of Object.entries(DATABASE_STRIKES)) {
      void test(`a database that ${name}: every task catches up afterwards`, WAITING, () => outlastOnDatabase(strike))
    }
  } else {
    for (const [name, strike] of Object.entries(FILE_STRIKES)) {
      void test(`a store that ${name}: every task catches up afterwards`, WAITING, () => outlastOnFile(name, strike))
    }
  }
})
