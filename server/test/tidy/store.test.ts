// The house rules of server/src/store: what stores share knows none of them, every statement program is run, and
// nothing that serves imports the offline tools.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  findIn,
  importedFilesOf,
  importedPackagesOf,
  nothing,
  readFiles,
} from '../../../testkit/sources/source-files.ts'

const STORES = readFiles('server/src/store/**/*.ts')

const STORE_OF_A_DATABASE = /^server\/src\/store\/(?:offline\/)?(sqlite|postgres)\//

test('what stores share knows none of them, and no database; neither knows the other', () => {
  const wrong = STORES.flatMap(file => {
    const own = STORE_OF_A_DATABASE.exec(file.path)?.[1]
    const files = importedFilesOf(file).filter(path => {
      const other = STORE_OF_A_DATABASE.exec(path)?.[1]
      return other !== undefined && other !== own
    })
    const packages = own === undefined ? importedPackagesOf(file).filter(name => !name.startsWith('node:')) : []
    return [...files, ...packages].map(name => `${file.path} imports ${name}`)
  })
  nothing(wrong, 'A store imports what is shared, never the other way round.')
})

test('nothing that serves imports the offline tools', () => {
  const offline = (path: string): boolean => path.startsWith('server/src/store/offline/')
  assert.ok(
    STORES.some(({ path }) => offline(path)),
    'No offline tools are found.',
  )
  const serving = STORES.filter(({ path }) => !offline(path))
  const wrong = serving.flatMap(file =>
    importedFilesOf(file)
      .filter(offline)
      .map(name => `${file.path} imports ${name}`),
  )
  nothing(wrong, 'Backup, restore, move, re-encrypt and verify import what serves, never the other way round.')
})

// SQLite's words; a name that PostgreSQL folds to small letters; bytes as a literal; PostgreSQL's casts and places.
const OF_ONE_DATABASE =
  /\b(?:unhex|hex|ifnull|json_each|last_insert_rowid)\(|\bindexed by\b|\bor (?:ignore|replace) into\b|[a-z_.)]+ as [a-z]+[A-Z]\w*|\bx''|\bpragma\b|\w::[a-z]|\$\d/

test('what stores share is SQL that each of them reads', () => {
  const shared = STORES.filter(file => !STORE_OF_A_DATABASE.test(file.path))
  assert.ok(findIn(shared, /\b(?:select|insert|update|delete) /).length > 80, 'Next to no statements are found.')
  nothing(findIn(shared, OF_ONE_DATABASE), 'See docs/decisions/0022-statement-programs.md.')
})

/** The statement programs that a file declares; with `export` before it, those that it gives to others. */
const programsIn = (text: string, before = ''): readonly string[] =>
  [...text.matchAll(new RegExp(`${before}(?:function\\* (\\w+)|const (\\w+) = \\([^=]*\\): Program<)`, 'g'))].map(
    ([, name, other]) => name ?? other ?? '',
  )

test('every statement program is run: one that is only made does nothing', () => {
  const given = new Set(STORES.flatMap(({ text }) => programsIn(text, 'export ')))
  assert.ok(given.has('run') && given.has('endAll') && given.has('showApiKey'), 'No statement programs are found.')
  const wrong = STORES.flatMap(file => {
    const imported = [...file.text.matchAll(/^import \{([^}]*)\}/gm)].flatMap(
      ([, names = '']) => names.match(/\w+/g) ?? [],
    )
    const names = [...programsIn(file.text), ...imported.filter(name => given.has(name))]
    // On a line of its own where no value is asked for.
    const alone = new RegExp(`(?<![=(,?:&|*>+][ \\n]*)\\n *(?:if \\(.*\\) |else )?(?:${names.join('|')})\\(`)
    return names.length === 0 ? [] : findIn([file], alone)
  })
  nothing(wrong, 'Write `yield*` before it, or run it.')
})
