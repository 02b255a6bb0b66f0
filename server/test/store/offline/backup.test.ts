// Backups as files: of one moment while others write, whole or not there, and never taken for a store.
import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { TIMING } from '../../../src/ports/timing.ts'
import { StoreProblem } from '../../../src/store/store-problem.ts'
import { backupStore } from '../../../src/store/offline/sqlite/backup.ts'
import { migrateSqliteStore, openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { appendDigest, dropDigest } from '../../../src/store/offline/sqlite/backup-digest.ts'
import { readBackup } from '../../../src/store/offline/sqlite/read-backup.ts'
import { isStoreThere, restoreBackup } from '../../../src/store/offline/sqlite/restore.ts'
import { backUp, openRestored, restorationAt, restore } from '../../../../testkit/stores/backups.ts'
import { act, createAgent, issue, KEEP_LONG, makeTestStore, type TestStore } from '../../../../testkit/stores/store.ts'
import { countRows, readNumber, readRows, withFile } from '../../../../testkit/stores/store-file.ts'

const makeWorld = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null, Date.now())
  t.after(world.dispose)
  return world
}

const problem = (pattern: RegExp) => (fault: unknown) => fault instanceof StoreProblem && pattern.test(fault.message)

const beside = ({ file }: TestStore, name: string): string => join(file, '..', name)

/** Rows of tokens that expired long ago, so that a copy takes several steps: 6 MB. */
const swell = (file: string): void =>
  withFile(file, db => {
    db.exec(`with recursive c(i) as (select 1 union all select i + 1 from c where i < 60000)
      insert into token select 60, randomblob(16), randomblob(16), 1, 1, 1, 1, 1, 1, null, null, null from c`)
  })

const PAIRS = `select (select count(*) from ended) as ended,
  (select count(*) from audit where kind = 'token.revoke') as audited, (select count(*) from act) as acts`

test('a backup is of one moment while tokens are issued and ended', async t => {
  const world = await makeWorld(t)
  const { store, file } = world
  const agent = await createAgent(store)
  swell(file)
  const acknowledged: string[] = []
  const copied = new AbortController()
  const write = async (): Promise<void> => {
    while (!copied.signal.aborted) {
      const [token] = await issue(store, agent, {})
      assert.ok(token)
      assert.equal(await store.ledger.end(token, 'manual_revocation', act('token.revoke')), 'ended')
      acknowledged.push(token.id)
    }
  }
  const writers = [write(), write(), write()]
  while (acknowledged.length < 3) await new Promise(resolve => setImmediate(resolve))
  const before = acknowledged.length
  const made = await backUp(world)
  copied.abort()
  await Promise.all(writers)
  const [pairs] = readRows(made.file, PAIRS)
  assert.deepEqual([pairs?.['audited'], pairs?.['acts']], [pairs?.['ended'], pairs?.['ended']])
  assert.ok(Number(pairs?.['ended']) >= before, 'what was acknowledged before is in it')
  assert.deepEqual(
    [made.ended, made.tokens, made.auditEntries],
    ['ended', 'token', 'audit'].map(table => countRows(made.file, table)),
  )
  assert.deepEqual(readRows(made.file, 'pragma integrity_check'), [{ integrity_check: 'ok' }])
})

test('a process that commits between two steps of a backup does not wait, begins nothing anew, and is not in it', async t => {
  const world = await makeWorld(t)
  const { file } = world
  swell(file)
  const seq = readNumber(file, 'select seq from service')
  let steps = 0
  const onProgress = (): void => {
    steps += 1
    assert.ok(steps < 10, 'a copy that began anew would never end')
    withFile(file, db => db.exec('update service set seq = seq + 1'))
  }
  const made = await backupStore({ file, timing: TIMING, target: beside(world, 'backup.db'), force: false, onProgress })
  assert.ok(steps > 0)
  assert.equal(readNumber(file, 'select seq from service'), seq + steps)
  assert.equal(readNumber(made.file, 'select seq from service'), seq)
})

test('a backup is one file that only its owner reads, and says which key it does not hold', async t => {
  const world = await makeWorld(t)
  await createAgent(world.store)
  const made = await backUp(world)
  assert.equal(statSync(made.file).mode & 0o777, 0o600)
  assert.equal(statSync(made.file).size, made.bytes)
  assert.deepEqual(
    readdirSync(beside(world, '.')).filter(name => name.startsWith('backup')),
    ['backup.db'],
  )
  const { madeAt, keyEncryptionKeyIds, agents, credentials, apiKeys } = made
  assert.deepEqual([keyEncryptionKeyIds, agents, credentials, apiKeys], [['test'], 1, 1, 0])
  assert.equal(readBackup(made.file).madeAt, madeAt)
})

test('a backup is refused where a store is opened, and stays as it is', async t => {
  const world = await makeWorld(t)
  const { file } = await backUp(world)
  const before = readFileSync(file)
  const refused = problem(/is a backup, not a store: run 'mintmark restore /)
  await assert.rejects(openSqliteStore({ file, timing: TIMING, retention: null }), refused)
  await assert.rejects(openSqliteStore({ file, timing: TIMING, retention: KEEP_LONG }), refused)
  await assert.rejects(async () => migrateSqliteStore({ file, timing: TIMING, madeBy: 'migrate' }), refused)
  assert.deepEqual(readFileSync(file), before)
  assert.ok(!existsSync(`${file}-wal`))
})

test('what is there is not overwritten unless asked, and then only a backup; never a file of the store', async t => {
  const world = await makeWorld(t)
  const { file } = world
  const target = beside(world, 'backup.db')
  const make = (path: string, force: boolean) => backupStore({ file, timing: TIMING, target: path, force })
  await make(target, false)
  const first = readFileSync(target)
  await assert.rejects(make(target, false), problem(/is there already: name another file, or replace it with --force/))
  assert.deepEqual(readFileSync(target), first)
  await createAgent(world.store)
  assert.equal((await make(target, true)).agents, 1)
  const other = beside(world, 'letter.txt')
  writeFileSync(other, 'Dear Ada')
  await assert.rejects(make(other, true), problem(/is no backup, and only a backup is replaced/))
  assert.equal(readFileSync(other, 'utf8'), 'Dear Ada')
  symlinkSync(file, beside(world, 'link.db'))
  for (const path of [
    file,
    `${file}-wal`,
    `${file}-shm`,
    `${file}-serving`,
    `${file}-moving`,
    beside(world, 'link.db'),
  ]) {
    await assert.rejects(make(path, true), /is a file of a store that is in use: name another\./, path)
  }
  await assert.rejects(make(beside(world, 'nowhere/b.db'), false), /The folder .* does not exist/)
})

test('a restore refuses a store that is there, and one that is served, and changes nothing', async t => {
  const world = await makeWorld(t)
  const { file: backup } = await backUp(world)
  const again = await world.reopen(KEEP_LONG)
  t.after(again.store.close)
  const attempt = (replace: boolean) => () =>
    restoreBackup({ timing: TIMING, backup, file: world.file, replace, restoration: restorationAt(Date.now()) })
  assert.throws(attempt(false), problem(/is there already: set MINTMARK_DATA_DIR to an empty folder, or say --replace/))
  assert.throws(attempt(true), problem(/is in use by a mintmark that runs: stop that one first/))
  assert.equal(countRows(world.file, `audit where kind = 'store.restore'`), 0)
  assert.deepEqual(
    readdirSync(beside(world, '.')).filter(name => /restoring|replaced/.test(name)),
    [],
  )
})

test('a store that a command has open is not taken away from it', async t => {
  const world = await makeWorld(t)
  const { file: backup } = await backUp(world)
  const restoration = restorationAt(Date.now())
  assert.throws(
    () => restoreBackup({ timing: TIMING, backup, file: world.file, replace: true, restoration }),
    problem(/is in use by another process: end that one first/),
  )
  assert.equal(countRows(world.file, `audit where kind = 'store.restore'`), 0)
})

/** A store whose process was killed: what it committed last stands in the file beside it. */
const makeKilledStore = async (t: TestContext) => {
  const world = await makeWorld(t)
  const { file: backup } = await backUp(world)
  await createAgent(world.store)
  const file = beside(world, 'killed.db')
  for (const ending of ['', '-wal']) copyFileSync(`${world.file}${ending}`, `${file}${ending}`)
  assert.ok(statSync(`${file}-wal`).size > 0)
  return { backup, file }
}

test('a store that is replaced is kept whole under another name, with what stood beside it', async t => {
  const { backup, file } = await makeKilledStore(t)
  const options = { backup, file, replace: true, restoration: restorationAt(Date.now()) }
  const { aside } = restoreBackup({ timing: TIMING, ...options })
  assert.ok(aside !== null && !existsSync(`${aside}-wal`))
  assert.equal(countRows(aside, 'agent'), 1)
  assert.deepEqual([countRows(file, 'agent'), countRows(file, `audit where kind = 'store.restore'`)], [0, 1])
  assert.deepEqual(readRows(file, 'pragma integrity_check'), [{ integrity_check: 'ok' }])
})

/** In the place of the store that is there. */
const restoreOver = (file: string, backup: string) =>
  restoreBackup({ timing: TIMING, backup, file, replace: true, restoration: restorationAt(Date.now()) })

test('a restore that was killed between the two names of the store is done again, and leaves no second name', async t => {
  const { backup, file } = await makeKilledStore(t)
  const second = `${file}.replaced-20260101T000000000Z`
  linkSync(file, second)
  const { aside } = restoreOver(file, backup)
  assert.ok(aside !== null && !existsSync(second))
  assert.deepEqual([statSync(aside).nlink, statSync(file).nlink], [1, 1])
})

test('a store that is damaged is replaced too, and what it left beside it is not taken for the new one', async t => {
  const { backup, file } = await makeKilledStore(t)
  writeFileSync(file, Buffer.alloc(8192, 'x'))
  const { aside } = restoreOver(file, backup)
  assert.ok(aside !== null && existsSync(`${aside}-wal`))
  assert.equal(readFileSync(aside, 'latin1'), 'x'.repeat(8192))
  assert.deepEqual([countRows(file, 'agent'), countRows(file, `audit where kind = 'store.restore'`)], [0, 1])
})

test('a damaged backup, and what is no backup, are refused in one line, and nothing is there afterwards', async t => {
  const world = await makeWorld(t)
  swell(world.file)
  const { file: backup, bytes } = await backUp(world)
  const damaged = beside(world, 'damaged.db')
  const content = readFileSync(backup)
  writeFileSync(damaged, content.fill(0xff, bytes - 40_960, bytes - 4096))
  // Among rows that a restore does not look at.
  writeFileSync(beside(world, 'hidden.db'), readFileSync(backup).fill(0xff, bytes / 2, bytes / 2 + 8192))
  const cut = beside(world, 'cut.db')
  writeFileSync(cut, content.subarray(0, bytes / 2))
  const [letter, plain] = [beside(world, 'letter.txt'), beside(world, 'plain.db')]
  writeFileSync(letter, 'Dear Ada, '.repeat(1000))
  copyFileSync(world.file, plain)
  for (const name of ['damaged.db', 'hidden.db', 'cut.db', 'letter.txt', 'plain.db', 'nowhere.db']) {
    assert.throws(
      () => {
        readBackup(beside(world, name))
        restore(world, beside(world, name))
      },
      problem(/is damaged|is malformed|no backup that|does not exist|cannot be read as a backup/),
      name,
    )
  }
  assert.equal(isStoreThere(beside(world, 'restored.db')), false)
  assert.ok(!existsSync(beside(world, 'restored.db.restoring')))
})

test('a backup of a store of another version is refused', async t => {
  const world = await makeWorld(t)
  const { file } = await backUp(world)
  const change = (sql: string): void => {
    dropDigest(file)
    withFile(file, db => db.exec(sql))
    appendDigest(file)
  }
  change(`insert into migration values (99, 'from the future', 99, 0)`)
  assert.throws(() => readBackup(file), problem(/is of a newer version of Mintmark than this program/))
  change('delete from migration where version > 2')
  assert.throws(() => readBackup(file), problem(/is of an older version of Mintmark/))
})

test('a backup of a restored store can be restored, and what was suspended stays so', async t => {
  const world = await makeWorld(t)
  await createAgent(world.store)
  const first = restore(world, (await backUp(world)).file)
  const second = restore(world, (await backUp(first, 'second.db')).file, 'twice.db')
  assert.deepEqual(second.suspended, { agents: 1, credentials: 1, apiKeys: 0, issuers: 0 })
  assert.ok(second.seq > first.seq)
  const store = await openRestored(second.file)
  t.after(store.close)
  assert.equal(readNumber(second.file, `select count(*) from audit where kind = 'store.restore'`), 2)
  assert.equal((await store.signingKeys.published()).length, 1)
})

test('a restored store is served, and its tokens are dead before their records have followed', async t => {
  const world = await makeWorld(t)
  const agent = await createAgent(world.store)
  const tokens = await issue(world.store, agent, ...Array.from({ length: 100 }, () => ({})))
  const { file } = restore(world, (await backUp(world)).file)
  assert.equal(countRows(file, 'token'), 100)
  const store = await openSqliteStore({
    file,
    timing: TIMING,
    retention: KEEP_LONG,
    clock: world.clock,
  })
  t.after(store.close)
  const found = await store.ledger.find(tokens)
  assert.ok(found.every(token => token === undefined || token.dead))
})
