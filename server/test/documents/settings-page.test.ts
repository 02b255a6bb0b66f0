// docs/operating/settings.md lists every variable as the table of settings has it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SETTING_GROUP_NAMES, SETTING_GROUPS } from '../../../api/values/settings.ts'
import { readText } from '../../../testkit/sources/source-files.ts'
import { COMMAND_VARIABLES } from '../../src/config/settings/settings.ts'
import { describeDefault, describeValues } from '../../src/config/settings/setting-entry.ts'
import type { VariableEntry } from '../../src/config/settings/setting-entry.ts'
import { settingEntries } from '../../src/config/settings/settings.ts'

const rowOf = ([name, entry]: readonly [string, VariableEntry]): string => {
  const file = entry.hasFile === true ? ' (`_FILE`)' : ''
  return `| \`${name}\`${file} | ${describeDefault(entry)} | ${describeValues(entry)} | ${entry.meaning} |`
}

const section = (title: string, entries: readonly (readonly [string, VariableEntry])[]): string =>
  [`## ${title}`, '', '| variable | default | values | meaning |', '|---|---|---|---|', ...entries.map(rowOf), ''].join(
    '\n',
  )

const SECTIONS = [
  ...SETTING_GROUP_NAMES.map(group =>
    section(
      SETTING_GROUPS[group],
      settingEntries().filter(([, entry]) => entry.group === group),
    ),
  ),
  section('Variables of single commands', Object.entries(COMMAND_VARIABLES)),
].join('\n')

test('the page of settings has each variable with its default, values and meaning, by the one table', () => {
  const [, rest = ''] = readText('docs/operating/settings.md').split(/(?=^## Service$)/m)
  assert.ok(rest === SECTIONS, `The page should end with:\n\n${SECTIONS}`)
})

test('the default and the example of every variable are values that it may have', () => {
  const wrong = [...settingEntries(), ...Object.entries(COMMAND_VARIABLES)].flatMap(
    ([name, { parse, fallback, example }]: readonly [string, VariableEntry]) =>
      [fallback, example].filter(text => text !== undefined && 'wrong' in parse(text)).map(text => `${name}: ${text}`),
  )
  assert.deepEqual(wrong, [])
})
