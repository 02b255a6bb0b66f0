// The files of the store taken away under a running service, as a clean-up script or a restore does.
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { test } from 'node:test'
import { Unavailable } from '../../src/domain/refusal.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { act, createAgent, issue, KEEP_LONG, makeTestStore } from '../../../testkit/stores/store.ts'

const TAKEN_AWAY: Readonly<Record<string, (file: string) => void>> = {
  'the -wal file removed': file => rmSync(`${file}-wal`),
  'the -shm file removed': file => rmSync(`${file}-shm`),
  'the database file replaced': file => {
    copyFileSync(file, `${file}-copy`)
    renameSync(`${file}-copy`, file)
  },
}

for (const [name, takeAway] of Object.entries(TAKEN_AWAY)) {
  test(`${name}: nothing is acknowledged from then on, and the service is not ready`, async t => {
    const world = await makeTestStore(KEEP_LONG)
    t.after(world.dispose)
    const { store, file } = world
    const [token] = await issue(store, await createAgent(store), {})
    assert.ok(token)
    takeAway(file)
    await assert.rejects(store.ledger.end(token, 'manual_revocation', act('token.revoke')), Unavailable)
    assert.match((await store.health.check()) ?? '', /was removed or replaced while the service runs/)
  })
}

for (const ending of ['-wal', '-shm']) {
  test(`a command beside a service whose ${ending} file was removed makes no other in its place, and is refused`, async t => {
    const world = await makeTestStore(KEEP_LONG)
    t.after(world.dispose)
    const { file, clock } = world
    rmSync(`${file}${ending}`)
    const command = openSqliteStore({ file, timing: TIMING, retention: null, clock })
    await assert.rejects(command, {
      name: 'StoreProblem',
      message: /was removed while a service uses .+restart the service/,
    })
    assert.equal(existsSync(`${file}${ending}`), false)
  })
}

test('a command whose store is gone by its first change says so, and nothing is made in its place', async t => {
  const world = await (await makeTestStore(null)).reopen(null)
  t.after(world.dispose)
  const { store, file } = world
  renameSync(file, `${file}-moved`)
  const saysSo = (fault: unknown) =>
    fault instanceof Unavailable && /does not exist: run 'mintmark migrate'/.test(fault.message)
  await assert.rejects(createAgent(store), saysSo)
  // Not the first time alone.
  await assert.rejects(createAgent(store), saysSo)
  assert.equal(existsSync(file), false)
})
