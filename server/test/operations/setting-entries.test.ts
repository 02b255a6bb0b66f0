// What holds for every variable of the table of settings.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VariableEntry } from '../../src/config/settings/setting-entry.ts'
import { COMMAND_VARIABLES, settingEntries } from '../../src/config/settings/settings.ts'

test('the default and the example of every variable are values that it may have', () => {
  const wrong = [...settingEntries(), ...Object.entries(COMMAND_VARIABLES)].flatMap(
    ([name, { parse, fallback, example }]: readonly [string, VariableEntry]) =>
      [fallback, example].filter(text => text !== undefined && 'wrong' in parse(text)).map(text => `${name}: ${text}`),
  )
  assert.deepEqual(wrong, [])
})
