// The terminal that the README shows: its commands are those of this program.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { STEPS } from '../../../../docs/images/terminal/record.ts'
import { makeProgram } from '../../../src/cli/program.ts'

const RECORDED = readFileSync(resolve(import.meta.dirname, '../../../../docs/images/terminal/session.svg'), 'utf8')
const ESCAPED = RECORDED.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

const TYPED = STEPS.map(({ line }) => line).filter(line => line.startsWith('mintmark '))

test('every command of the recorded terminal exists, with the options that it shows', async () => {
  const program = await makeProgram([])
  assert.ok(TYPED.length > 4)
  for (const line of TYPED) {
    const [, subject = '', verb = '', ...words] = (line.split(' | ')[0] ?? '').split(' ')
    const command = program.commands.find(one => one.name() === subject)?.commands.find(one => one.name() === verb)
    const options = command?.options.map(({ long }) => long) ?? []
    const unknown = words.filter(word => word.startsWith('--')).filter(word => !options.includes(word))
    assert.deepEqual([command?.name(), unknown], [verb, []], line)
  }
})

test('the recorded terminal is that of these commands, and shows no secret', () => {
  for (const line of TYPED) {
    const before = (line.split('$')[0] ?? '').trimEnd()
    assert.ok(ESCAPED.includes(`$ ${before}`), `${line}: record it again with npm run record`)
  }
  assert.doesNotMatch(RECORDED, /mm[ac]_\w{10}/)
})
