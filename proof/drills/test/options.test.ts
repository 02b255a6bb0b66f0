// The options of what proves: numbers, flags, and words of a list.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeBound, parseOptions } from '../../options.ts'

const DEFAULTS = { seconds: 3, workers: null, quick: false, store: ['sqlite', 'postgres'] } as const

test('an option that is left out has its default: a number, nothing, no, or no word', () => {
  assert.deepEqual(parseOptions(DEFAULTS, []), { seconds: 3, workers: null, quick: false, store: null })
})

test('an option that is given is a number, a yes, or a word of the list', () => {
  const given = parseOptions(DEFAULTS, ['--seconds', '9', '--workers', '1', '--quick', '--store', 'sqlite'])
  assert.deepEqual(given, { seconds: 9, workers: 1, quick: true, store: 'sqlite' })
})

test('what is no number, no word of the list or no option is refused, with what was expected', () => {
  assert.throws(() => parseOptions(DEFAULTS, ['--seconds', 'many']), /--seconds is many; expected a number/)
  assert.throws(() => parseOptions(DEFAULTS, ['--store', 'oracle']), /oracle; expected one of sqlite, postgres/)
  assert.throws(() => parseOptions(DEFAULTS, ['--unknown', '1']), /Unknown option/)
})

test('a run of no minutes begins one thing, and nothing more', () => {
  const isOver = makeBound({ minutes: 0 })
  assert.deepEqual([isOver(), isOver(), isOver()], [false, true, true])
})
