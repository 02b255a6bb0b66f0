// What stands where a backup or a store goes: a link stays, and what it leads to is replaced; a file of another process stays.
import assert from 'node:assert/strict'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { TIMING } from '../../../src/ports/timing.ts'
import { backupStore } from '../../../src/store/offline/sqlite/backup.ts'
import { readBackup } from '../../../src/store/offline/sqlite/read-backup.ts'
import { restoreBackup } from '../../../src/store/offline/sqlite/restore.ts'
import { backUp, restorationAt } from '../../../../testkit/stores/backups.ts'
import { createAgent, makeTestStore, type TestStore } from '../../../../testkit/stores/store.ts'

const makeWorld = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return world
}

const beside = ({ file }: TestStore, name: string): string => join(file, '..', name)

test('a link to a backup stays, its file is replaced and keeps its mode; one to no file is there already; a folder is refused', async t => {
  const world = await makeWorld(t)
  const [link, target] = [beside(world, 'link.db'), beside(world, 'backup.db')]
  const make = (force: boolean, path = link) => backupStore({ file: world.file, timing: TIMING, target: path, force })
  symlinkSync('backup.db', link)
  await assert.rejects(make(false), /link\.db is there already/)
  assert.ok(!existsSync(target))
  await make(true)
  chmodSync(target, 0o640)
  await createAgent(world.store)
  assert.equal((await make(true)).agents, 1)
  assert.equal(readBackup(target).agents, 1)
  assert.ok(lstatSync(link).isSymbolicLink())
  assert.equal(statSync(target).mode & 0o777, 0o640)
  await assert.rejects(make(true, beside(world, '.')), /is a folder: name a file in it/)
  await assert.rejects(make(true, `${beside(world, 'new')}/`), /new\/" names no file: name one/)
})

test('what a killed backup of the same process id left, or another writes now, is not in the way and stays', async t => {
  const world = await makeWorld(t)
  const target = beside(world, 'backup.db')
  const left = `${target}.${process.pid}.part`
  writeFileSync(left, 'half')
  await backupStore({ file: world.file, timing: TIMING, target, force: false })
  assert.equal(readBackup(target).agents, 0)
  assert.equal(readFileSync(left, 'utf8'), 'half')
})

test('a restore behind a link replaces the store that it leads to, and the link stays', async t => {
  const world = await makeWorld(t)
  const { file: backup } = await backUp(world)
  const [link, target] = [beside(world, 'link.db'), beside(world, 'linked.db')]
  copyFileSync(backup, target)
  chmodSync(target, 0o640)
  symlinkSync('linked.db', link)
  const restoration = restorationAt(world.clock.wall())
  const { aside } = restoreBackup({ backup, file: link, timing: TIMING, replace: true, restoration })
  assert.ok(lstatSync(link).isSymbolicLink())
  assert.equal(statSync(target).mode & 0o777, 0o640)
  assert.ok(aside?.startsWith(`${target}.replaced-`))
})
