// The connections to the store: durable where it is written, unable to write where it is read, refused where unsafe.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { test, type TestContext } from 'node:test'
import { type Database, refuseOldSqlite, SQLITE_RESULTS } from '../../../src/store/sqlite/connection/database.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import {
  openForMigration,
  openForReading,
  openForWriting,
  refuseForeignUser,
} from '../../../src/store/sqlite/connection/connection.ts'
import { StoreProblem } from '../../../src/store/store-problem.ts'
import { inspectSqliteStore } from '../../../src/store/sqlite/inspect.ts'
import { first } from '../../../src/store/statement-program.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { resetClock } from '../../../src/store/offline/sqlite/act-alone.ts'
import { act, createAgent, makeTestStore } from '../../../../testkit/stores/store.ts'

const makeFile = async (t: TestContext): Promise<string> => {
  const { file, store, dispose } = await makeTestStore(null)
  await store.close()
  t.after(dispose)
  return file
}

const keep = (t: TestContext, db: Database): Database => {
  t.after(() => db.close())
  return db
}

const isProblem = (message: RegExp) => (fault: unknown) => fault instanceof StoreProblem && message.test(fault.message)

const FULL = 2

test('a commit is acknowledged once it is on the disk, on macOS by its own strong call', async t => {
  const file = await makeFile(t)
  for (const db of [openForWriting(file, TIMING), openForMigration(file, TIMING)]) {
    keep(t, db)
    const pragma = (name: string) => db.pragma(name)
    assert.equal(pragma('synchronous'), FULL)
    assert.equal(pragma('journal_mode'), 'wal')
    assert.equal(pragma('fullfsync'), 1)
    assert.equal(pragma('checkpoint_fullfsync'), 1)
    assert.equal(pragma('foreign_keys'), 1)
  }
})

test('a SQLite that may lose commits is refused', () => {
  for (const version of ['3.51.2', '3.9.0', '2.99.9']) {
    assert.throws(() => refuseOldSqlite(version), isProblem(/SQLite .* take one with 3\.51\.3 or newer/))
  }
  for (const version of ['3.51.3', '3.51.10', '3.52.0', '4.0.0']) refuseOldSqlite(version)
})

test('temporary files are kept in memory: the root of a container may be read-only, with its /tmp', async t => {
  const file = await makeFile(t)
  const MEMORY = 2
  for (const db of [openForWriting(file, TIMING), openForReading(file, TIMING)]) {
    assert.equal(keep(t, db).pragma('temp_store'), MEMORY)
  }
})

test('what a store has in its log alone is seen through a link to it, by doctor too', async t => {
  const { file, store, dispose } = await makeTestStore(null)
  t.after(dispose)
  await createAgent(store)
  symlinkSync(file, `${file}-link`)
  const inspection = await inspectSqliteStore(`${file}-link`)
  t.after(inspection.close)
  const found = await inspection.run(first<{ readonly n: number }>('select count(*) as n from agent'))
  assert.equal(found?.n, 1)
})

test('a reading connection cannot write, where a writing one can', async t => {
  const file = await makeFile(t)
  const write = 'update service set seq = seq + 1'
  assert.throws(() => keep(t, openForReading(file, TIMING)).exec(write), { errcode: SQLITE_RESULTS.readonly })
  keep(t, openForWriting(file, TIMING)).exec(write)
})

test('a store on a file system that machines share is refused, by every way to open it', async t => {
  const file = await makeFile(t)
  const elsewhere = join(dirname(file), 'other.db')
  const shared = { NFS: 0x6969, SMB: 0x517b, CIFS: 0xff534d42, SMB2: 0xfe534d42, '9P': 0x01021997 }
  for (const [name, type] of Object.entries(shared)) {
    const asked: string[] = []
    const typeOf = (folder: string): number => {
      asked.push(folder)
      return type
    }
    const refused = isProblem(new RegExp(`is on a network file system \\(${name}\\)`))
    for (const open of [openForReading, openForWriting]) assert.throws(() => open(file, TIMING, typeOf), refused)
    assert.throws(() => openForMigration(elsewhere, TIMING, typeOf), refused)
    assert.deepEqual(new Set(asked), new Set([dirname(file)]))
  }
  assert.equal(statSync(elsewhere, { throwIfNoEntry: false }), undefined, 'nothing is made there')
})

test('a store on a local file system opens, and so does one on a system that does not report it', async t => {
  const file = await makeFile(t)
  const [ext4, xfs, btrfs, tmpfs, overlay] = [0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630]
  for (const type of [ext4, xfs, btrfs, tmpfs, overlay, undefined]) openForReading(file, TIMING, () => type).close()
})

test('only the owner of a store, or of the folder that it will lie in, acts on it', async t => {
  const file = await makeFile(t)
  const owner = statSync(file).uid
  const cases: readonly (readonly [string, number | undefined, string | null])[] = [
    [file, owner, null],
    [file, owner + 1, file],
    [join(dirname(file), 'not-yet.db'), owner, null],
    [join(dirname(file), 'not-yet.db'), owner + 1, dirname(file)],
    // A system without user ids.
    [file, undefined, null],
  ]
  for (const [asked, user, refused] of cases) {
    const report = () => refuseForeignUser(asked, () => user)
    if (refused === null) report()
    else assert.throws(report, isProblem(new RegExp(`^${refused} belongs to user ${owner}, this is user ${user}: run`)))
  }
})

/** Holds the file as a process does that clears the log away. */
const HOLDER = `
  const { workerData } = require('node:worker_threads')
  const { DatabaseSync } = require('node:sqlite')
  const db = new DatabaseSync(workerData.file)
  db.exec('pragma locking_mode = exclusive; begin immediate; commit')
  Atomics.store(workerData.held, 0, 1)
  Atomics.notify(workerData.held, 0)
  Atomics.wait(workerData.held, 0, 1, 50)
  db.close()`

test('a store that another process closes just then is opened once that is done', async t => {
  const file = await makeFile(t)
  for (const openStore of [openForWriting, openForReading]) {
    const held = new Int32Array(new SharedArrayBuffer(4))
    const holder = new Worker(HOLDER, { eval: true, workerData: { file, held } })
    Atomics.wait(held, 0, 0)
    openStore(file, TIMING).close()
    await once(holder, 'exit')
  }
})

test('a command of another user than the owner is refused before it touches the store', async t => {
  const file = await makeFile(t)
  const foreigner = statSync(file).uid + 1
  t.mock.method(process as Required<Pick<NodeJS.Process, 'getuid'>>, 'getuid', () => foreigner)
  const foreign = isProblem(/ belongs to user /)
  await assert.rejects(openSqliteStore({ file, timing: TIMING, retention: null }), foreign)
  const missing = `${file}-missing`
  for (const one of [file, missing]) {
    assert.throws(() => resetClock({ file: one, timing: TIMING, act: act('clock.reset'), wall: Date.now() }), foreign)
  }
  assert.ok(!existsSync(`${missing}-serving`))
})
