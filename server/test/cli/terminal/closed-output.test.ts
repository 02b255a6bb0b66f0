// What a command does when nobody reads what it prints, as behind `| head`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KEY, makeFolder, run, runUnread } from '../../../../testkit/commands/run-mintmark.ts'

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
