// The tables of docs/security hold the service against standards: every file and test that they name is there, and no requirement of the two
// chapters about tokens is left out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isThere, nothing, readFiles, readText } from '../../../testkit/sources/source-files.ts'

const PAGES = readFiles('docs/security/{asvs,rfc,promises}*.md')

const MET = ['yes', 'partly', 'no', 'chosen', 'operator', 'n/a']
/** Such a row says so of the program, and a test shows it. */
const SHOWN = ['yes', 'chosen']

type Row = {
  readonly place: string
  readonly name: string
  readonly met: string
  readonly how: string
  readonly by: string
}

/** The rows of tables with four columns, but for their heads. */
const rowsOf = ({ path, text }: { readonly path: string; readonly text: string }): readonly Row[] =>
  [...text.matchAll(/^\| ([^|]+?) \| ([^|]+?) \| ([^|]+?) \| ([^|]*?) ?\|$/gm)]
    .map(([, name = '', met = '', how = '', by = '']) => ({ place: `${path}: ${name}`, name, met, how, by }))
    .filter(({ met }) => met !== 'met')

const ROWS = PAGES.flatMap(rowsOf)

const placesOf = (rows: readonly Row[]): readonly string[] => rows.map(({ place }) => place)

/** `path`: “title” */
const NAMED = /`((?:server|packages|console)\/[^`]+\.test\.ts)`(?:: “([^”]+)”)?/g

/** The titles of a file, where they stand as one text. */
const titlesOf = (text: string): readonly string[] =>
  [...text.matchAll(/\btest\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g)].map(([, , title = '']) =>
    title.replaceAll(/\\(.)/g, '$1'),
  )

test('each row of docs/security says whether it is met, and one that is met names a test', () => {
  assert.ok(ROWS.length > 150, 'Next to no rows are found.')
  assert.equal(PAGES.length, 6)
  nothing(placesOf(ROWS.filter(({ met }) => !MET.includes(met))), `Expected one of ${MET.join(', ')}:`)
  nothing(
    placesOf(ROWS.filter(({ met, by }) => SHOWN.includes(met) && [...by.matchAll(NAMED)].length === 0)),
    'No test:',
  )
  const lines = PAGES.flatMap(({ text }) =>
    text.split('\n').filter(line => /^\| [^|]+ \| (?:yes|partly|no|chosen|operator|n\/a) \|/.test(line)),
  )
  // The legend of `met` has two columns.
  assert.equal(lines.length, ROWS.length, 'A row with another number of columns is not read.')
})

test('every test that docs/security names is there, under its title', () => {
  const wrong = ROWS.flatMap(({ place, by }) =>
    [...by.matchAll(NAMED)].flatMap(([, path = '', title]) => {
      if (!isThere(path)) return [`${place}: ${path}`]
      return title === undefined || titlesOf(readText(path)).includes(title) ? [] : [`${place}: ${path}: ${title}`]
    }),
  )
  nothing(wrong, 'Renamed, moved or removed:')
  const unread = ROWS.filter(({ by }) => by.replaceAll(NAMED, '').replaceAll(/[;\s]/g, '') !== '')
  nothing(placesOf(unread), 'Expected files of tests, each with or without a title:')
})

const numbersOf = (section: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${section}.${n + 1}`)

/** As the standard counts them. */
const TOKENS_AND_OAUTH = [
  ...numbersOf('9.1', 3),
  ...numbersOf('9.2', 4),
  ...numbersOf('10.1', 2),
  ...numbersOf('10.2', 3),
  ...numbersOf('10.3', 5),
  ...numbersOf('10.4', 16),
  ...numbersOf('10.5', 5),
  ...numbersOf('10.6', 2),
  ...numbersOf('10.7', 3),
]

test('docs/security/asvs.md has each requirement of V9 and V10, and rfc-8725.md each practice', () => {
  const namesOf = (page: string) =>
    ROWS.filter(({ place }) => place.startsWith(`docs/security/${page}:`)).map(({ name }) => name)
  assert.deepEqual(namesOf('asvs.md'), TOKENS_AND_OAUTH)
  assert.deepEqual(
    namesOf('rfc-8725.md').map(name => name.split(' ')[0]),
    numbersOf('3', 12),
  )
})
