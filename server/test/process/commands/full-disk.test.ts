// Commands on a disk that takes no more, or in a folder that does: one line that says what is wrong, and nothing half done.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Ended, KEY, makeFolder, PROGRAM, run, runShell } from '../../../../testkit/commands/run-mintmark.ts'

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

/** Runs the lines one after another on a small disk of their own, for who may mount one; how each ended. */
const onSmallDisk = (disk: string, outside: string, lines: readonly string[]): readonly Ended[] => {
  const place = (n: number, name: string): string => join(outside, `${n}.${name}`)
  const script = lines.map(
    (line, n) => `(${line}) >'${place(n, 'stdout')}' 2>'${place(n, 'stderr')}'; echo $? >'${place(n, 'status')}'\n`,
  )
  const mount = `mount -t tmpfs -o size=1m tmpfs '${disk}' && cd '${disk}' || exit\n`
  writeFileSync(join(outside, 'script'), mount + script.join(''))
  const { status, stderr } = runShell(outside, 'unshare --user --map-root-user --mount bash --norc script', KEYED)
  assert.equal(status, 0, stderr)
  return lines.map((_, n) => {
    const [stdout = '', printed = '', code] = ['stdout', 'stderr', 'status'].map(name =>
      readFileSync(place(n, name), 'utf8'),
    )
    return { status: Number(code), stdout, stderr: printed }
  })
}

const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0

if (canMount) {
  test('a full disk is named where SQLite says only that it failed', t => {
    const create = 'agent create --name a --scope db:read'
    const fill = 'cat /dev/zero >rest 2>/dev/null'
    const [, first, second, short] = onSmallDisk(makeFolder(t), makeFolder(t), [
      `${MINTMARK} migrate >/dev/null; ${fill}`,
      `${MINTMARK} agent list`,
      `${fill}; ${MINTMARK} ${create}`,
      `${fill}; truncate -s -49152 rest; ${MINTMARK} ${create}`,
    ])
    for (const one of [first, second]) {
      assert.ok(one)
      assertOneLine(one, /cannot be opened as a store \([^\n]+\)\. Its disk is full: make room there\.\n$/)
    }
    assert.ok(short)
    assertOneLine(
      short,
      /^mintmark: The store cannot be written: database or disk is full\. Whether anything changed is unknown; [^\n]+\n$/,
      5,
    )
  })
}

// The mode of a folder concerns root only without this power. Another user might not reach the program of this checkout.
const WITHOUT_POWER = 'setpriv --bounding-set=-dac_override,-dac_read_search'

if (process.getuid?.() !== 0 || spawnSync('sh', ['-c', `${WITHOUT_POWER} true`]).status === 0) {
  test('a folder in which SQLite cannot make its log is refused with what to do', t => {
    const folder = makeFolder(t)
    const data = join(folder, '.mintmark')
    assert.equal(run(folder, ['migrate'], KEYED).status, 0)
    for (const name of ['mintmark.db-wal', 'mintmark.db-shm']) rmSync(join(data, name), { force: true })
    chmodSync(data, 0o500)
    const user = process.getuid?.() === 0 ? WITHOUT_POWER : ''
    for (const command of ['agent list', 'migrate']) {
      const refused = runShell(folder, `${user} ${MINTMARK} ${command}`, KEYED)
      assertOneLine(
        refused,
        /mintmark\.db cannot be written \(EACCES\): make the folder exist and writable for this user\.\n$/,
      )
    }
  })
}
