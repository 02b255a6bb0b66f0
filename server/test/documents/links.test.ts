// Every link between the documents leads to a file that is there and, where it names a heading, to a heading that is there.
import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { DOORS, ELSEWHERE, REFERENCE, UNLISTED } from '../../../site/contents.ts'
import { blocksOf, headingIdsOf, linksOf, USERS_PAGES, wordsIn } from '../../../testkit/sources/markdown.ts'
import { isThere, nothing, readFiles, readText } from '../../../testkit/sources/source-files.ts'

/** Of a page that somebody reads from its beginning to its end. */
const WORDS_MAX = 1500
/** Those that are searched, or written for people who change the program, and how many words they have at most. */
const LONG: Readonly<Record<string, number>> = {
  'docs/apis/feed-protocol.md': 2050,
  'docs/run/runbook.md': 2300,
  'docs/security/threat-model.md': 3000,
  'docs/development/drills.md': 2400,
  'docs/development/embedded-store.md': 1950,
}

const DOCUMENTS = ['*.md', '{docs,deploy,examples,packages,proof}/**/*.md'].flatMap(readFiles)

test('a heading has the id that GitHub gives it, and a second of the same words a number', () => {
  const text = '# `a_b` and C\n\n## TLS, and a [proxy](x.md) in front\n\n```\n# no heading\n```\n\n## `a_b` and C\n'
  assert.deepEqual(headingIdsOf(text), ['a_b-and-c', 'tls-and-a-proxy-in-front', 'a_b-and-c-1'])
})

test('a link is read outside of code alone', () => {
  const text = '[a](x.md#b) `[c](d.md)` ![e](f.svg)\n\n    [in code](y.md)\n\n```\n[g](h.md)\n```\n'
  assert.deepEqual(linksOf(text), ['x.md#b', 'f.svg'])
})

test('no document links to a file or a heading that is not there', () => {
  assert.ok(DOCUMENTS.length > 100, 'The globs of this test find next to nothing.')
  const wrong = DOCUMENTS.flatMap(({ path, text }) =>
    linksOf(text)
      .filter(link => !/^[a-z]+:/.test(link))
      .filter(link => {
        const [name = '', id] = link.split('#')
        const target = name === '' ? path : posix.join(posix.dirname(path), name)
        if (!isThere(target)) return true
        return id !== undefined && target.endsWith('.md') && !headingIdsOf(readText(target)).includes(id)
      })
      .map(link => `${path}: ${link}`),
  )
  nothing(wrong, 'Moved, renamed or not built:')
})

test('each door of docs/ begins with a page that names all others of it', () => {
  const wrong = ['run', 'manage'].flatMap(door => {
    const linked = linksOf(readText(`docs/${door}/overview.md`)).map(link => link.split('#')[0])
    return readFiles(`docs/${door}/*.md`)
      .map(({ path }) => posix.basename(path))
      .filter(name => name !== 'overview.md' && !linked.includes(name))
      .map(name => `docs/${door}/${name}`)
  })
  nothing(wrong, 'Its overview does not lead there:')
})

test('no page is longer than its reader reads', () => {
  const pages = readFiles('docs/!(decisions|reference|images)/**/*.md')
  nothing(
    pages
      .filter(({ path, text }) => wordsIn(text) > (LONG[path] ?? WORDS_MAX))
      .map(({ path, text }) => `${path}: ${wordsIn(text)} words`),
    `At most ${WORDS_MAX}: cut it, or split it by reader.`,
  )
})

const PROGRAMS = ['sh', 'js', 'ts', 'python', 'go', 'java', 'lua', 'sql']
/** Configuration and output; and transcripts, which a test compares with what commands print. */
const OTHERS = ['text', 'json', 'yaml', 'ini', 'toml', 'nginx', 'haproxy', 'apache', 'caddyfile', 'xml', 'console']
const TRANSCRIPTS = /^docs\/(?:manage\/incidents|run\/from-\w+)\.md$/
/** Its program is run by packages/verify/test/process/package.test.ts. */
const RUN_ELSEWHERE = ['packages/verify/README.md']

const PAGES = [USERS_PAGES, '{packages,examples,deploy,server}/**/README.md']
  .flatMap(readFiles)
  .filter(({ path }) => !RUN_ELSEWHERE.includes(path))

/** A fence that is not at the beginning of its line, or of another form than ```language, escapes what looks for programs. */
const isHidden = (path: string, line: string): boolean => {
  if (!/^[\s>*\d.-]*(?:`{3}|~{3})|<pre\b/i.test(line)) return false
  const [, language] = /^```([a-z]*)$/.exec(line) ?? []
  if (language === undefined) return true
  if (language === 'console') return !TRANSCRIPTS.test(path)
  return language !== '' && ![...PROGRAMS, ...OTHERS].includes(language)
}

test('each program on a page is the copy of a file, runs in a test, or says that it does not', () => {
  const wrong = PAGES.flatMap(({ path, text }) =>
    blocksOf(text)
      .filter(({ language, notRun }) => notRun === undefined && language !== 'sh' && PROGRAMS.includes(language))
      .map(({ code }) => `${path}: ${code.split('\n')[0]}`),
  )
  nothing(wrong, 'Show a file that a suite runs, or put `<!-- not run: REASON -->` above the block:')
  nothing(
    PAGES.flatMap(({ path, text }) =>
      text
        .split('\n')
        .filter(line => isHidden(path, line))
        .map(line => `${path}: ${line}`),
    ),
    'Begin the block at the beginning of a line, by three backticks and a language that this test knows:',
  )
  nothing(
    PAGES.filter(({ text }) => /\n\n(?: {4}|\t)\S/.test(text.replaceAll(/^```[^]*?^```$/gm, ''))).map(
      ({ path }) => path,
    ),
    'An indented block has no language: put it between fences.',
  )
})

test('a fence in a list, a quotation or of tildes is no place to hide a program', () => {
  for (const line of [
    '~~~sh',
    ' ```sh',
    '> ```sh',
    '- ```sh',
    '1. ```sh',
    '```SH',
    '```shell',
    '```sh run',
    '````sh',
    '<pre>',
  ])
    assert.ok(isHidden('docs/run/x.md', line), line)
  for (const line of ['```sh', '```', 'as ```sh']) assert.ok(!isHidden('docs/run/x.md', line), line)
})

test('each page of docs/ is behind a door of the site, and each door leads to a page', () => {
  const listed = [...DOORS.flatMap(({ sections }) => sections), REFERENCE].flatMap(({ pages }) => pages)
  // Those below reference/operations are made by the build.
  const written = listed.filter(page => page !== 'reference/operations' && !Object.hasOwn(ELSEWHERE, page)).toSorted()
  const pages = readFiles('docs/**/*.md').map(({ path }) => path.replace(/^docs\/|\.md$/g, ''))
  const due = pages.filter(page => !UNLISTED.some(folder => page.startsWith(folder)))
  assert.deepEqual(written, due.toSorted(), 'See site/contents.ts.')
})
