// The question before something that cannot be undone, as a person at a terminal answers it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { confirm, type Consequence } from '../../../src/cli/terminal/confirm.ts'
import { CommandFailed } from '../../../src/cli/terminal/exit.ts'

const CONSEQUENCE = 'This ends \u001B[31mall.'
const QUESTION = 'This ends \\u001b[31mall. Go on? [y/N] '

/** What a person types once the question is there; undefined where the terminal goes away. */
const answer = async (typed: string | undefined, consequence: Consequence = CONSEQUENCE, question = QUESTION) => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined })
  const stderr = Object.assign(new PassThrough(), { isTTY: true })
  let shown = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  const outcome = confirm(consequence, { stdin, stderr }).then(
    () => 'goes on',
    (error: unknown) => error,
  )
  while (!shown.includes(question)) await once(stderr, 'data')
  if (typed === undefined) stdin.end()
  else stdin.write(typed)
  return { outcome: await outcome, shown }
}

test('a yes in either form goes on, and what a terminal would obey is spelled out', async () => {
  for (const typed of ['y\r', 'Yes\r', ' YES \r']) assert.equal((await answer(typed)).outcome, 'goes on')
})

test('any other answer, Ctrl-C, Ctrl-D and a terminal that goes away change nothing, and say so on a line of its own', async () => {
  for (const typed of ['n\r', '\r', 'yeah\r', 'y\u0003', '\u0003', '\u0004', undefined]) {
    const { outcome, shown } = await answer(typed)
    assert.ok(outcome instanceof CommandFailed, String(outcome))
    assert.deepEqual([outcome.message, outcome.exitCode], ['Nothing was changed.', 1])
    assert.match(shown, /[^\n]\n$/)
  }
})

test('of what reaches everything the phrase is typed, and a yes changes nothing', async () => {
  const all = { text: 'This ends all.', phrase: 'end every token' }
  const question = 'This ends all. Type "end every token" to go on: '
  for (const typed of ['end every token\r', ' end every token \r']) {
    assert.equal((await answer(typed, all, question)).outcome, 'goes on')
  }
  for (const typed of ['y\r', 'yes\r', 'end every\r', 'End every token\r', '\r', '\u0003', undefined]) {
    const { outcome } = await answer(typed, all, question)
    assert.ok(outcome instanceof CommandFailed && outcome.message === 'Nothing was changed.', String(outcome))
  }
})

test('where nobody is at a terminal it is a wrong usage, and --yes is named', async () => {
  await assert.rejects(
    confirm('This ends all.', { stdin: new PassThrough(), stderr: new PassThrough() }),
    (error: unknown) =>
      error instanceof CommandFailed &&
      error.exitCode === 2 &&
      error.message === 'This ends all. If that is meant, run it again with --yes.',
  )
})
