// Damage: of a store it is found before a backup replaces another, of a backup, by its digest, before anything is restored.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite' // oxlint-disable-line no-restricted-imports -- to damage a file, as the program's own may not
import { test } from 'node:test'
import { appendDigest, dropDigest } from '../../../src/store/offline/sqlite/backup-digest.ts'
import { backupStore } from '../../../src/store/offline/sqlite/backup.ts'
import { readBackup, verifyBackup } from '../../../src/store/offline/sqlite/read-backup.ts'
import { BACKUP_MARK } from '../../../src/store/sqlite/connection/backup-mark.ts'
import { backUp, restore } from '../../../../testkit/stores/backups.ts'
import { createAgent, makeTestStore } from '../../../../testkit/stores/store.ts'
import { readRows, withFile } from '../../../../testkit/stores/store-file.ts'
import { TIMING } from '../../../src/ports/timing.ts'

test('one byte that is not as it was written is found anywhere in a backup, and nothing is restored of it', async t => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  await createAgent(world.store)
  const { file, bytes } = await backUp(world)
  assert.deepEqual([verifyBackup(file).hasDigest, readBackup(file).hasDigest], [true, true])
  const [good, damaged] = [readFileSync(file), join(file, '../damaged.db')]
  const step = 1021 // meets other places of each page
  const places = [0, 68, 100, bytes - 40, bytes - 33, bytes - 32, bytes - 1]
  for (let at = 200; at < bytes; at += step) places.push(at)
  const refused = /is damaged|no backup that|cannot be read as a backup/
  for (const at of places) {
    const bad = Buffer.from(good)
    bad[at] = (bad[at] ?? 0) ^ 1
    writeFileSync(damaged, bad)
    assert.throws(() => verifyBackup(damaged), refused, String(at))
    assert.throws(() => readBackup(damaged), refused, String(at))
  }
  for (const left of [bytes - 1, bytes - 40, bytes - 41, 4096]) {
    writeFileSync(damaged, good.subarray(0, left))
    assert.throws(() => verifyBackup(damaged), refused, String(left))
  }
  writeFileSync(damaged, Buffer.from(good).fill(0xff, bytes - 100, bytes - 90))
  assert.throws(() => restore(world, damaged), refused)
  assert.ok(!existsSync(join(file, '../restored.db')))
  const restored = restore(world, file)
  assert.deepEqual(readRows(restored.file, 'pragma integrity_check'), [{ integrity_check: 'ok' }])
})

test('a store that is damaged replaces no backup', async t => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  const { file } = world
  const target = join(file, '../backup.db')
  await backUp(world)
  const before = readFileSync(target)
  await world.store.close()
  const db = new DatabaseSync(file, { defensive: false })
  db.exec(`pragma writable_schema = on;
    update sqlite_schema set rootpage = (select rootpage from sqlite_schema where name = 'agent') where name = 'audit'`)
  db.close()
  await assert.rejects(
    backupStore({ file, timing: TIMING, target, force: true }),
    /was not written: the store is damaged/,
  )
  assert.deepEqual(readFileSync(target), before)
})

test('a pipe is refused as a backup before anything waits for its writer', t => {
  const pipe = join(mkdtempSync(join(tmpdir(), 'mintmark-pipe-')), 'pipe')
  t.after(() => rmSync(join(pipe, '..'), { recursive: true }))
  execFileSync('mkfifo', [pipe])
  // Open at both ends, so that this test would not wait either.
  const both = openSync(pipe, 'r+')
  t.after(() => closeSync(both))
  for (const read of [verifyBackup, readBackup])
    assert.throws(() => read(pipe), /is no plain file: a backup is read from one/)
})

test('a backup of a version without digests is restored, and known as one', async t => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  const { file } = await backUp(world)
  dropDigest(file)
  const size = readFileSync(file).length
  withFile(file, db => {
    const madeAt = db.prepare<{ made_at: number }>('select made_at from backup').get()?.made_at
    db.exec(
      `drop table backup; create table backup (made_at integer not null) strict; insert into backup values (${madeAt})`,
    )
    assert.equal(db.pragma('application_id'), BACKUP_MARK)
  })
  truncateSync(file, size)
  assert.deepEqual([verifyBackup(file).hasDigest, readBackup(file).hasDigest], [false, false])
  assert.deepEqual(restore(world, file).suspended, { agents: 0, credentials: 0, apiKeys: 0, issuers: 0 })
  appendDigest(file)
  assert.equal(verifyBackup(file).hasDigest, true)
})
