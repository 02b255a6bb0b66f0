// What a command does when nobody reads what it prints, as behind `| head`, or it cannot be written, as on a full disk.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { KEY, makeFolder, PROGRAM, run, runShell, runUnread } from '../../../../testkit/commands/run-mintmark.ts'

test('a command whose reader goes away ends quietly, with status 0', async t => {
  const folder = makeFolder(t)
  assert.equal(run(folder, ['migrate'], { MINTMARK_KEY_ENCRYPTION_KEY: KEY }).status, 0)
  for (const args of [['--help'], ['agent', 'list'], ['agent', 'list', '--json']]) {
    assert.deepEqual(await runUnread(folder, args), { status: 0, stdout: '', stderr: '' }, args.join(' '))
  }
})

test('what the command does is done all the same', async t => {
  const folder = makeFolder(t)
  assert.equal(run(folder, ['migrate'], { MINTMARK_KEY_ENCRYPTION_KEY: KEY }).status, 0)
  await runUnread(folder, ['agent', 'create', '--name', 'unread', '--scope', 'db:read'])
  assert.match(run(folder, ['agent', 'list']).stdout, / unread /)
})

test('a refusal whose reader goes away keeps its status', async t => {
  const folder = makeFolder(t)
  const { status } = await runUnread(folder, ['agent', 'list'])
  assert.equal(status, 1)
})

const shell = (folder: string, command: string) => runShell(folder, `'${process.execPath}' '${PROGRAM}' ${command}`)

const LOST = 'what was asked is done, but what it prints is lost.'

// A device that takes nothing, as a full disk.
if (existsSync('/dev/full')) {
  test('a command whose output goes to a full disk says so in one line, and what it does is done', t => {
    const folder = makeFolder(t)
    assert.equal(run(folder, ['migrate'], { MINTMARK_KEY_ENCRYPTION_KEY: KEY }).status, 0)
    for (const command of ['--help', 'agent list', 'audit export', 'agent create --name lost --scope db:read']) {
      assert.deepEqual(
        shell(folder, `${command} >/dev/full`),
        { status: 1, stdout: '', stderr: `mintmark: Standard output cannot be written (ENOSPC): ${LOST}\n` },
        command,
      )
    }
    const { status, stderr } = shell(folder, 'agent list --json >/dev/full')
    assert.equal(status, 1)
    assert.equal((JSON.parse(stderr) as { error: unknown }).error, 'failed')
    assert.match(run(folder, ['agent', 'list']).stdout, / lost /)
  })

  test('a failure that cannot be printed keeps its exit code', t => {
    const folder = makeFolder(t)
    assert.equal(shell(folder, 'agent lst 2>/dev/full').status, 2)
    assert.equal(shell(folder, 'agent list --no-such-option 2>/dev/full').status, 2)
  })
}
