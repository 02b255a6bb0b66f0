// The rows of site/reference/standards.json hold the service against standards: every test that they name is there, and no requirement of
// the two chapters about tokens is left out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Requirement, STANDARDS } from '../../../site/reference/standards.ts'
import { isThere, nothing, readText } from '../../../testkit/sources/source-files.ts'

const MET = ['yes', 'partly', 'no', 'chosen', 'operator', 'n/a']
/** Such a row says so of the program, and a test shows it. */
const SHOWN = ['yes', 'chosen']

const rowsOf = (id: string): readonly Requirement[] =>
  STANDARDS.filter(standard => standard.id === id).flatMap(({ sections }) => sections.flatMap(({ rows }) => rows))

const ROWS = STANDARDS.flatMap(({ id }) => rowsOf(id).map(row => ({ ...row, place: `${id}: ${row.name}` })))

type Placed = (typeof ROWS)[number]

const placesOf = (rows: readonly Placed[]): readonly string[] => rows.map(({ place }) => place)

/** The titles of a file, where they stand as one text. */
const titlesOf = (text: string): readonly string[] =>
  [...text.matchAll(/\btest\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g)].map(([, , title = '']) =>
    title.replaceAll(/\\(.)/g, '$1'),
  )

test('each requirement is met or not, and one that is met names a test', () => {
  assert.ok(ROWS.length > 150, 'Next to no rows are found.')
  nothing(placesOf(ROWS.filter(({ met }) => !MET.includes(met))), `Expected one of ${MET.join(', ')}:`)
  nothing(placesOf(ROWS.filter(({ met, by }) => SHOWN.includes(met) && by.length === 0)), 'No test:')
  nothing(placesOf(ROWS.filter(({ name, how }) => `${name}${how}`.includes('|'))), 'A pipe ends a cell of a table:')
})

test('every test that a requirement names is there, under its title', () => {
  const wrong = ROWS.flatMap(({ place, by }) =>
    by.flatMap(({ test: path, title }) => {
      if (!isThere(path)) return [`${place}: ${path}`]
      return title === null || titlesOf(readText(path)).includes(title) ? [] : [`${place}: ${path}: ${title}`]
    }),
  )
  nothing(wrong, 'Renamed, moved or removed:')
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

test('each requirement of V9 and V10 of the ASVS has its row, and each practice of RFC 8725', () => {
  assert.deepEqual(
    rowsOf('asvs').map(({ name }) => name),
    TOKENS_AND_OAUTH,
  )
  assert.deepEqual(
    rowsOf('rfc-8725').map(({ name }) => name.split(' ')[0]),
    numbersOf('3', 12),
  )
})
