// A backup that a signal ends: what was copied by then would stay for ever, as large as the store.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { environment, KEY, makeFolder, PROGRAM, run } from '../../../../testkit/commands/run-mintmark.ts'

test('a backup that a signal ends leaves nothing beside its target', { timeout: 60_000 }, async t => {
  const folder = makeFolder(t)
  const variables = { MINTMARK_KEY_ENCRYPTION_KEY: KEY }
  assert.equal(run(folder, ['migrate'], variables).status, 0)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const beside = join(folder, signal)
    mkdirSync(beside)
    const files = watch(beside)
    const child = spawn(process.execPath, [PROGRAM, 'backup', join(beside, 'target')], {
      cwd: folder,
      env: environment(variables),
      stdio: 'ignore',
    })
    await once(files, 'change')
    child.kill(signal)
    const [code, endedBy] = (await once(child, 'exit')) as [number | null, string | null]
    files.close()
    assert.ok(code === 0 || endedBy === signal, `It ended with ${code ?? endedBy}.`)
    // The signal may come too late: then the backup is there.
    const left = readdirSync(beside).filter(name => name !== 'target')
    assert.deepEqual(left, [])
  }
})
