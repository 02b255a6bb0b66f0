// Commands on a disk that takes no more, or in a folder that does: one line that says what is wrong, and nothing half done.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { type Ended, KEY, makeFolder, run, runShell } from '../../../../testkit/commands/run-mintmark.ts'

const PROGRAM = resolve(import.meta.dirname, '../../../src/main.ts')
const MINTMARK = `'${process.execPath}' '${PROGRAM}'`
const KEYED = { MINTMARK_KEY_ENCRYPTION_KEY: KEY, NODE_COMPILE_CACHE: '' }

const assertOneLine = ({ status, stdout, stderr }: Ended, line: RegExp, expected = 1): void => {
  assert.deepEqual([status, stdout], [expected, ''], stderr)
  assert.match(stderr, line)
  assert.equal(stderr.trimEnd().split('\n').length, 1, stderr)
}

test('a disk that takes no more of a migration leaves the store as it was, and one line', t => {
  const folder = makeFolder(t)
  // A write beyond this many kilobytes fails; the signal would end the process first.
  const limited = runShell(folder, `trap '' XFSZ; ulimit -f 100; ${MINTMARK} migrate`, KEYED)
  assertOneLine(limited, /^mintmark: .*mintmark\.db was not migrated \([^\n]+\): look at its disk, and run [^\n]+\.\n$/)
  assert.match(run(folder, ['migrate'], KEYED).stdout, /version 0 to \d/)
})

// A small disk of its own, for who may mount one.
const onSmallDisk = (folder: string, line: string): Ended => {
  const mounted = `mount -t tmpfs -o size=1m tmpfs '${folder}' && cd '${folder}' && ${line}`
  return runShell(folder, `unshare --user --map-root-user --mount bash --norc -c "${mounted}"`, KEYED)
}

const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0

if (canMount) {
  test('a full disk is named where SQLite says only that it failed', t => {
    const folder = makeFolder(t)
    const full = (command: string) =>
      onSmallDisk(folder, `${MINTMARK} migrate >/dev/null; cat /dev/zero >rest 2>/dev/null; ${MINTMARK} ${command}`)
    for (const command of ['agent list', 'agent create --name a --scope db:read']) {
      assertOneLine(full(command), /cannot be opened as a store \([^\n]+\)\. Its disk is full: make room there\.\n$/)
    }
    const later = 'agent create --name a --scope db:read'
    const short = onSmallDisk(
      folder,
      `${MINTMARK} migrate >/dev/null; cat /dev/zero >rest 2>/dev/null; truncate -s -49152 rest; ${MINTMARK} ${later}`,
    )
    assertOneLine(
      short,
      /^mintmark: The store cannot be written: database or disk is full\. Whether anything changed is unknown; [^\n]+\n$/,
      5,
    )
  })
}

// Only root can become another user, whom the mode of a folder concerns.
if (process.getuid?.() === 0 && spawnSync('setpriv', ['--version']).status === 0) {
  test('a folder in which SQLite cannot make its log is refused with what to do', t => {
    const folder = makeFolder(t)
    const data = join(folder, '.mintmark')
    assert.equal(run(folder, ['migrate'], KEYED).status, 0)
    for (const name of ['mintmark.db-wal', 'mintmark.db-shm']) rmSync(join(data, name), { force: true })
    for (const path of [folder, data, join(data, 'mintmark.db')]) chownSync(path, 12_345, 12_345)
    chmodSync(data, 0o500)
    const user = 'setpriv --reuid 12345 --regid 12345 --clear-groups'
    for (const command of ['agent list', 'migrate']) {
      const refused = runShell(folder, `${user} ${MINTMARK} ${command}`, KEYED)
      assertOneLine(
        refused,
        /mintmark\.db cannot be written \(EACCES\): make the folder exist and writable for this user\.\n$/,
      )
    }
  })
}
