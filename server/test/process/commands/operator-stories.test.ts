// docs/manage/incidents.md: each transcript is what its commands print, but for ids, times and widths.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { transcriptsOf, commandsOf, retell, shapeOf } from '../../../../testkit/commands/operator-stories.ts'
import { readText } from '../../../../testkit/sources/source-files.ts'

const BLOCKS = transcriptsOf(readText('docs/manage/incidents.md'))

test('the transcripts of the five stories are what their commands print', async t => {
  assert.equal(BLOCKS.length, 5)
  const retold = await retell({ after }, BLOCKS)
  for (const [n, { seconds }] of retold.entries()) t.diagnostic(`story ${n + 1}: ${seconds.toFixed(1)} s`)
  for (const [n, { block }] of retold.entries()) assert.equal(shapeOf(block), shapeOf(BLOCKS[n] ?? ''))
})

test('a runaway agent is stopped by at most three commands without a pipe', () => {
  const commands = commandsOf(BLOCKS[0] ?? '')
  assert.ok(commands.length > 0 && commands.length <= 3)
  assert.ok(commands.every(line => !line.includes('|')))
})

test('somebody is off-boarded by at most two commands', () => {
  assert.ok(commandsOf(BLOCKS[4] ?? '').length <= 2)
})
