// Times as people write them at the terminal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InvalidArgumentError } from 'commander'
import { makeProgram } from '../../../src/cli/program.ts'
import { type Direction, parseTerminalTime } from '../../../src/cli/terminal/time.ts'

const NOW = Date.UTC(2026, 10, 21, 9, 30, 5)

const read = (text: string, direction: Direction): string =>
  new Date(parseTerminalTime(text, direction, NOW)).toISOString()

test('a duration counts back from now where a time is past, and ahead where it is to come', () => {
  const TIMES: readonly (readonly [string, string, string])[] = [
    ['0', '2026-11-21T09:30:05.000Z', '2026-11-21T09:30:05.000Z'],
    ['45s', '2026-11-21T09:29:20.000Z', '2026-11-21T09:30:50.000Z'],
    ['15m', '2026-11-21T09:15:05.000Z', '2026-11-21T09:45:05.000Z'],
    ['12h', '2026-11-20T21:30:05.000Z', '2026-11-21T21:30:05.000Z'],
    ['30d', '2026-10-22T09:30:05.000Z', '2026-12-21T09:30:05.000Z'],
  ]
  for (const [text, ago, ahead] of TIMES) assert.deepEqual([read(text, 'ago'), read(text, 'ahead')], [ago, ahead], text)
})

test('a bare day is its start in UTC, and a time may lack seconds, in either direction', () => {
  const TIMES: readonly (readonly [string, string])[] = [
    ['2026-10-22', '2026-10-22T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-10-22T10:00Z', '2026-10-22T10:00:00.000Z'],
    ['2026-10-22t10:00z', '2026-10-22T10:00:00.000Z'],
    ['2026-10-22T10:00+02:00', '2026-10-22T08:00:00.000Z'],
    ['2026-10-22T10:00:05.25Z', '2026-10-22T10:00:05.250Z'],
  ]
  for (const [text, instant] of TIMES) {
    assert.deepEqual([read(text, 'ago'), read(text, 'ahead')], [instant, instant], text)
  }
})

test('what is no time is refused with the forms that are, and a duration out of the four-digit years with that', () => {
  const expected = /^Expected how long ago, such as 30d, .*2026-11-21 \(its start in UTC\).*2026-11-21T09:30Z\.$/
  const WRONG = ['', 'yesterday', '30', '-30d', '30 d', '1.5h', '30D', '2026-02-30', '2026-10-22T10:00', '22/10/2026']
  for (const text of [...WRONG, '2026-10-22T24:00Z', '2026-10-22 10:00Z', '1e9s', '９d']) {
    const refused = (error: unknown) => error instanceof InvalidArgumentError && expected.test(error.message)
    assert.throws(() => read(text, 'ago'), refused, text)
  }
  assert.throws(() => read('999999999d', 'ago'), /Expected a shorter duration/)
  assert.throws(() => read('3000000d', 'ahead'), /Expected a shorter duration/)
})

test('every option that takes a time says in the help of its command what a time may be', async () => {
  const program = await makeProgram([])
  const taking = program.commands
    .flatMap(subject => subject.commands)
    .filter(one => one.options.some(({ flags }) => flags.includes('<time>')))
  assert.ok(taking.length > 5)
  for (const command of taking) {
    let help = ''
    command.configureOutput({ writeOut: text => void (help += text) }).outputHelp()
    assert.match(help.replaceAll(/\s+/g, ' '), /so far ahead, such as 90d, or a day|its start in UTC/, command.name())
  }
})
