// The words of the house: names, comments and docs use the field's own words in American English, never a private one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findIn, nothing, readFiles, type SourceFile } from '../../../testkit/sources/source-files.ts'

/** A word that no name, comment or page contains, as a pattern, and what to write in its place. */
const PRIVATE: Readonly<Record<string, string>> = {
  'tell|tells|told|telling|teller': 'report, notify, print, format, show; "distinguish" for "tell apart"',
  'whoever|whomever': 'the caller, the client, a process, an attacker',
  'by whose hand': 'by whom',
  'other side of an instant': 'across a clock tick',
  'he|his|him|himself': 'they, their, them',
  'walk|walks|walked|walking': 'scan, read',
  'lane|lanes': 'queue, concurrency limit, permit',
  'flight|flights': 'batch in flight',
  upkeep: 'maintenance',
  'keeper|keepers|doorkeeper': 'scheduler, process, requireAccess',
  'fate|fates': 'outcome',
  'plant|plants|planted': 'seeded fault, seeded leak',
  'taken back|takes? back|took back|taking back': 'rolled back, cleared, returned',
  'in a circle': 'deadlock, circular import',
  'preview|previews': 'dry run',
  'behaviour|colour|honoured|favourite|cancelled|recognise|recognised|normalise|serialisation|towards':
    'American spelling',
}

/** Where a word of them stands rightly: what it is there, and why it stays. */
const ALLOWED: readonly { readonly path: RegExp; readonly text: RegExp; readonly reason: string }[] = [
  { path: /./, text: /\bin[ -]flight\b/gi, reason: 'the field calls requests and batches so' },
  {
    path: /\/schema\/|maintenance\.ts$|background-outage|store-content|development\/postgresql\.md$/,
    text: /\bupkeep\b/g,
    reason: 'a table that is on disk',
  },
  {
    path: /store\/(?:postgres|sqlite)\/schema\//,
    text: /\bto tell which one\b/g,
    reason: 'the text of a migration, which never changes',
  },
  { path: /\.py$/, text: /\basyncio\.Cancelled Error\b/g, reason: 'a name of Python' },
  { path: /\.test\.ts$/, text: /colour/g, reason: 'an unknown name that a test sends' },
]

const GLOBS = [
  '{api,console,deploy,docs,examples,packages,proof,server,testkit}/**/*.{ts,tsx,md,yml,yaml,sh,py,go,java}',
  '*.{md,mjs,json}',
]

const files = GLOBS.flatMap(readFiles).filter(
  ({ path }) => path !== 'server/test/tidy/words.test.ts' && path !== 'package-lock.json',
)

/** Names as their words, so that `toldBy` and `LANES_MAX` are found too. */
const wordsOf = (line: string): string => line.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|_/g, ' ')

/** The words of a text without what is allowed in that file. */
const judgedOf = (path: string, text: string): string =>
  ALLOWED.filter(one => one.path.test(path)).reduce((left, one) => left.replaceAll(one.text, ' '), wordsOf(text))

const findWords = (file: SourceFile, pattern: RegExp): readonly string[] =>
  file.text
    .split('\n')
    .flatMap((line, n) => (pattern.test(judgedOf(file.path, line)) ? [`${file.path}:${n + 1}: ${line.trim()}`] : []))

for (const [words, instead] of Object.entries(PRIVATE)) {
  test(`no name, comment or page says ${words.replaceAll('|', ', ')}`, () => {
    const pattern = new RegExp(`\\b(?:${words})\\b`, 'i')
    nothing(
      files.flatMap(file => findWords(file, pattern)),
      `Write instead: ${instead}.`,
    )
  })
}

test('no path contains a private word', () => {
  const pattern = new RegExp(`\\b(?:${Object.keys(PRIVATE).join('|')})\\b`, 'i')
  nothing(
    files.map(({ path }) => path).filter(path => pattern.test(judgedOf(path, path))),
    'Name files by the words of the field.',
  )
})

test('a doc comment says what the thing is, not only whose it is or what its null means', () => {
  const sources = readFiles('{api,server/src,packages/*/src,testkit,proof}/**/*.ts').filter(
    ({ path }) => !path.includes('/generated/'),
  )
  nothing(
    findIn(sources, /\/\*\*\s+(?:\* )?(?:Of |(?:Null|Undefined|True|False):)/),
    'Write "The size of the body", not "Of the body"; "Null where tracing is off", not "Null: off".',
  )
})

test('words are found in names of every spelling, and each exception is in use', () => {
  assert.ok(files.length > 1000, `${files.length} files`)
  const found = findWords(
    { path: 'a.ts', text: 'const toldBy = 1\nconst LANES_MAX = 2\nfoo.walk()\nstole()' },
    /\b(?:told|lanes|walk)\b/i,
  )
  assert.deepEqual(found.length, 3)
  for (const { path, text, reason } of ALLOWED) {
    const isUsed = files.some(
      file => path.test(file.path) && file.text.split('\n').some(line => text.test(wordsOf(line))),
    )
    assert.ok(isUsed, reason)
  }
})
