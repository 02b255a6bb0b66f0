// A backup or a restore that is killed in the middle leaves what was there, or what was to come, and nothing in between.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { readBackup } from '../../../src/store/offline/sqlite/read-backup.ts'
import { environment, KEY, makeFolder, PROGRAM, run } from '../../../../testkit/commands/run-mintmark.ts'
import { isThorough } from '../../../../testkit/loads/thorough.ts'
import { countRows, readRows, withFile } from '../../../../testkit/stores/store-file.ts'

const VARIABLES = { MINTMARK_KEY_ENCRYPTION_KEY: KEY }
/** From when its first file appears; a copy of this store takes some tens of milliseconds. */
const KILLED_AFTER_MS = isThorough ? [0, 2, 5, 10, 15, 25, 40, 70] : [0, 5, 15, 40]

/** When to kill, one try after another: to the end of the list, and on until a kill has hit the middle. */
function* untilKilled(kills: () => number): Generator<number> {
  yield* KILLED_AFTER_MS
  while (kills() === 0) yield 0
}

/** Kills the command so long after a file of this name appears; false where it was done before. */
const killAfter = async (folder: string, args: readonly string[], when: { file: RegExp; in: string; ms: number }) => {
  const watcher = watch(when.in)
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env: environment(VARIABLES),
    stdio: 'ignore',
  })
  const ended = once(child, 'close')
  const appeared = new Promise<void>(onAppeared => {
    watcher.on('change', (_kind, name) => when.file.test(String(name)) && onAppeared())
  })
  await Promise.race([appeared, ended])
  watcher.close()
  if (when.ms > 0) await delay(when.ms)
  child.kill('SIGKILL')
  await ended
  return child.signalCode === 'SIGKILL'
}

const makeWorld = (t: TestContext) => {
  const folder = makeFolder(t)
  const store = join(folder, '.mintmark/mintmark.db')
  assert.equal(run(folder, ['migrate'], VARIABLES).status, 0)
  withFile(store, db => {
    db.exec(`with recursive c(i) as (select 1 union all select i + 1 from c where i < 100000)
      insert into token select 60, randomblob(16), randomblob(16), 1, 1, 1, 1, 1, 1, null, null, null from c`)
  })
  return { folder, store }
}

const isWhole = (file: string): boolean =>
  readRows(file, 'pragma integrity_check').every(row => row['integrity_check'] === 'ok')

test('a restore that is killed leaves the store that was there, or the restored one, and can be done again', async t => {
  const { folder, store } = makeWorld(t)
  assert.equal(run(folder, ['backup', 'backup.db'], VARIABLES).status, 0)
  let [agentsBefore, restoresBefore, kills] = [0, 0, 0]
  for (const ms of untilKilled(() => kills)) {
    assert.equal(run(folder, ['agent', 'create', '--name', `a${agentsBefore}`, '--scope', 'db:read']).status, 0)
    agentsBefore += 1
    const when = { file: /restoring/, in: join(folder, '.mintmark'), ms }
    if (await killAfter(folder, ['restore', 'backup.db', '--replace', '--yes'], when)) kills += 1
    const agents = countRows(store, 'agent')
    const restores = countRows(store, `audit where kind = 'store.restore'`)
    const wasThere = agents === agentsBefore && restores === restoresBefore
    assert.ok(wasThere || (agents === 0 && restores === 1), `${agents}, ${restores}`)
    assert.ok(isWhole(store))
    // Once it was done in time, later kills find it done as well.
    if (restores === 1 && kills > 0) break
    ;[agentsBefore, restoresBefore] = [agents, restores]
  }
  const last = run(folder, ['restore', 'backup.db', '--replace', '--yes'], VARIABLES)
  assert.equal(last.status, 0, last.stderr)
  assert.deepEqual(
    readdirSync(join(folder, '.mintmark')).filter(name => name.includes('restoring')),
    [],
  )
})

test('a backup that is killed leaves the backup that was there, or the new one', async t => {
  const { folder, store } = makeWorld(t)
  const backup = join(folder, 'backup.db')
  assert.equal(run(folder, ['backup', 'backup.db'], VARIABLES).status, 0)
  let kills = 0
  let number = 0
  for (const ms of untilKilled(() => kills)) {
    number += 1
    const before = readBackup(backup).agents
    assert.equal(run(folder, ['agent', 'create', '--name', `a${number}`, '--scope', 'db:read']).status, 0)
    const when = { file: /\.part$/, in: folder, ms }
    if (await killAfter(folder, ['backup', 'backup.db', '--force'], when)) kills += 1
    const { agents } = readBackup(backup)
    assert.ok(agents === before || agents === countRows(store, 'agent'), `${agents}`)
    assert.ok(isWhole(backup))
  }
})
