// mintmark completion: what the shells offer, from the commands themselves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeProgram } from '../../../src/cli/program.ts'
import { placesOf } from '../../../src/cli/terminal/completion-scripts.ts'
import { PROGRAMS } from '../../../src/cli/terminal/completion-scripts.ts'
import { makeFolder, run, runShell } from '../../../../testkit/commands/run-mintmark.ts'

/** What bash would offer after each of these lines, by the script as it stands. */
const offeredInBash = (folder: string, script: string, lines: readonly string[]): readonly (readonly string[])[] => {
  const asked = lines.map(line => `COMP_LINE='${line}' COMP_POINT=${line.length} _mintmark; echo "\${COMPREPLY[*]}"`)
  const { status, stdout, stderr } = runShell(
    folder,
    `${script}\n${asked.map(each => `COMPREPLY=(); ${each}`).join('\n')}`,
  )
  assert.deepEqual([status, stderr], [0, ''])
  return stdout
    .trimEnd()
    .split('\n')
    .map(line => line.split(' ').filter(Boolean))
}

test('bash is offered commands, options and choices, as the command tree has them', async t => {
  const folder = makeFolder(t)
  const { status, stdout: script } = run(folder, ['completion', 'bash'])
  assert.equal(status, 0)
  const [first = [], verbs, one, choices, colon, free, shells] = offeredInBash(folder, script, [
    'mintmark ',
    'mintmark agent ',
    'mintmark agent sh',
    'mintmark audit list --actor-type ',
    'mintmark api-key create --permission tokens:r',
    'mintmark agent create --name ',
    'mintmark completion ',
  ])
  const program = await makeProgram([])
  assert.deepEqual(
    program.commands.map(command => command.name()).filter(name => !first.includes(name)),
    [],
  )
  assert.deepEqual(verbs?.slice(0, 4), ['create', 'list', 'show', 'delegation'])
  assert.deepEqual(one, ['show'])
  assert.deepEqual(choices, ['operator', 'client', 'api_key', 'issuer', 'cli', 'system'])
  // Readline replaces what stands behind the colon only.
  assert.deepEqual(colon, ['read', 'revoke'])
  assert.deepEqual(free, [])
  assert.deepEqual(shells?.slice(0, 3), ['bash', 'zsh', 'fish'])
})

test('each script names every command and every long option', async () => {
  const program = await makeProgram([])
  const places = placesOf(program)
  assert.ok(places.length > 30)
  for (const [shell, script] of Object.entries(PROGRAMS)) {
    const text = script(places)
    for (const { commands, options } of places) {
      for (const word of commands) assert.ok(text.includes(word.text), `${shell}: ${word.text}`)
      for (const { text: flag } of options) {
        assert.ok(text.includes(shell === 'fish' ? `-l ${flag.slice(2)}` : flag), `${shell}: ${flag}`)
      }
    }
  }
})

test('a shell that is not known is a wrong usage', t => {
  const { status, stderr } = run(makeFolder(t), ['completion', 'tcsh'])
  assert.equal(status, 2)
  assert.match(stderr, /Allowed choices are bash, zsh, fish/)
})
