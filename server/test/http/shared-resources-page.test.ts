// docs/development/shared-resources.md: each row names its tests by file and title, and each of them is there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nothing, readFiles, readText } from '../../../testkit/sources/source-files.ts'

const NAMED = /`(?<path>[^`]+\.test\.ts)` "(?<title>[^"]+)"/g

const rows = (): readonly string[] =>
  readText('docs/development/shared-resources.md')
    .split('\n')
    .filter(line => line.startsWith('| ') && !line.startsWith('| shared |'))

const testsIn = (row: string): readonly (readonly [path: string, title: string])[] =>
  [...row.matchAll(NAMED)].map(({ groups }) => [groups?.['path'] ?? '', groups?.['title'] ?? ''])

test('each row names a test that is there, by its file and its title', () => {
  const texts = new Map(readFiles('server/test/**/*.test.ts').map(({ path, text }) => [path, text]))
  assert.ok(rows().length > 15, 'The table is hardly read.')
  nothing(
    rows().filter(row => testsIn(row).length === 0 || row.split('|').length !== 6),
    'A row without a test, or not of four cells:',
  )
  nothing(
    rows()
      .flatMap(testsIn)
      .filter(([path, title]) => texts.get(path)?.includes(`'${title}'`) !== true)
      .map(one => one.join(': ')),
    'No such test:',
  )
})
