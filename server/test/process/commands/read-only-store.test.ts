// Commands that read a store on a read-only file system, for who may mount one.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openForWriting } from '../../../src/store/sqlite/connection/connection.ts'
import { KEY, makeFolder, PROGRAM, run, runShell } from '../../../../testkit/commands/run-mintmark.ts'
import { TIMING } from '../../../src/ports/timing.ts'

const KEYED = { MINTMARK_KEY_ENCRYPTION_KEY: KEY, NODE_COMPILE_CACHE: '' }
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0

if (canMount) {
  test('a store on a read-only file system is read, with the log of a service too, and never written', t => {
    const folder = makeFolder(t)
    const file = join(folder, '.mintmark/mintmark.db')
    const readOnly = (args: string) =>
      runShell(
        folder,
        `unshare --user --map-root-user --mount bash --norc -c "mount --bind '${folder}' /mnt && mount -o remount,ro,bind /mnt && cd /mnt && '${process.execPath}' '${PROGRAM}' ${args}"`,
        KEYED,
      )
    const named = () => {
      const { status, stdout, stderr } = readOnly('agent list --json')
      assert.equal(status, 0, stderr)
      return (JSON.parse(stdout) as { readonly data: readonly { readonly name: string }[] }).data.map(
        ({ name }) => name,
      )
    }
    const create = (name: string) => run(folder, ['agent', 'create', '--name', name, '--scope', 'db:read'], KEYED)
    assert.equal(run(folder, ['migrate'], KEYED).status, 0)
    assert.equal(create('first').status, 0)
    assert.ok(!existsSync(`${file}-wal`))
    assert.deepEqual(named(), ['first'])
    const refused = readOnly('agent create --name other --scope db:read')
    assert.notEqual(refused.status, 0)
    assert.match(refused.stderr, /mintmark\.db cannot be written \(EROFS\)/)
    // As a service that runs: its log has the second agent, and the file has not.
    const service = openForWriting(file, TIMING)
    t.after(() => service.close())
    assert.equal(create('second').status, 0)
    assert.deepEqual(named().toSorted(), ['first', 'second'])
    rmSync(`${file}-shm`)
    const unread = readOnly('agent list')
    assert.equal(unread.status, 1)
    assert.match(
      unread.stderr,
      /mintmark\.db-wal, which has what was written last, cannot be read there .* on a copy of it/,
    )
  })
}
