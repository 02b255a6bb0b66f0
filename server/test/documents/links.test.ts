// Every link between the documents leads to a file that is there and, where it names a heading, to a heading that is there.
import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { DOORS, ELSEWHERE, REFERENCE, UNLISTED } from '../../../site/contents.ts'
import { blocksOf, headingIdsOf, linksOf, wordsIn } from '../../../testkit/sources/markdown.ts'
import { isThere, nothing, readFiles, readText } from '../../../testkit/sources/source-files.ts'

/** Of a page that somebody reads from its beginning to its end. */
const WORDS_MAX = 1500
/** Those that are searched, or written for people who change the program, and how many words they have at most. */
const LONG: Readonly<Record<string, number>> = {
  'docs/apis/feed-protocol.md': 2050,
  'docs/run/runbook.md': 2300,
  'docs/security/threat-model.md': 2750,
  'docs/development/drills.md': 2400,
  'docs/development/embedded-store.md': 1900,
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

const PROGRAMS = ['sh', 'bash', 'js', 'ts', 'tsx', 'py', 'python', 'go', 'java', 'lua', 'sql']

test('each program on a page is the copy of a file, runs in a test, or says that it does not', () => {
  const pages = readFiles('docs/{agents,apis,manage,run,security,start}/*.md')
  const wrong = pages.flatMap(({ path, text }) =>
    blocksOf(text)
      .filter(({ language, notRun }) => notRun === undefined && language !== 'sh' && PROGRAMS.includes(language))
      .map(({ code }) => `${path}: ${code.split('\n')[0]}`),
  )
  nothing(wrong, 'Show a file that a suite runs, or put `<!-- not run: REASON -->` above the block:')
  nothing(
    pages
      .filter(({ text }) => /(?:^|\n)\n(?: {4}\S)/.test(text.replaceAll(/^```[^]*?^```$/gm, '')))
      .map(({ path }) => path),
    'An indented block has no language: put it between fences.',
  )
})

test('each page of docs/ is behind a door of the site, and each door leads to a page', () => {
  const listed = [...DOORS.flatMap(({ sections }) => sections), REFERENCE].flatMap(({ pages }) => pages)
  // Those below reference/operations are made by the build.
  const written = listed.filter(page => page !== 'reference/operations' && !Object.hasOwn(ELSEWHERE, page)).toSorted()
  const pages = readFiles('docs/**/*.md').map(({ path }) => path.replace(/^docs\/|\.md$/g, ''))
  const due = pages.filter(page => !UNLISTED.some(folder => page.startsWith(folder)))
  assert.deepEqual(written, due.toSorted(), 'See site/contents.ts.')
})
