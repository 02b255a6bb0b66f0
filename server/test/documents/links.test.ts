// Every link between the documents leads to a file that is there and, where it names a heading, to a heading that is there.
import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { DOORS, REFERENCE, UNLISTED } from '../../../site/contents.ts'
import { headingIdsOf, linksOf } from '../../../testkit/sources/markdown.ts'
import { isThere, nothing, readFiles, readText } from '../../../testkit/sources/source-files.ts'

const WORDS_MAX = 2000
/** Tables that are searched and not read. */
const LONG = ['docs/security/threat-model.md']

const DOCUMENTS = ['*.md', '{docs,deploy,examples,packages,proof}/**/*.md'].flatMap(readFiles)

const wordsIn = (text: string): number => text.split(/\s+/).filter(Boolean).length

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

test('docs/operating.md names each page of docs/operating, and docs/administration.md those of its own', () => {
  const pages = readFiles('docs/{operating,administration}/*.md')
  const linked = ['operating', 'administration'].flatMap(name =>
    linksOf(readText(`docs/${name}.md`))
      .filter(link => link.startsWith(`${name}/`))
      .map(link => `docs/${link}`),
  )
  nothing(
    pages.map(({ path }) => path).filter(path => !linked.includes(path)),
    'No door leads there:',
  )
})

test('no page that is one of several about its subject is long', () => {
  const pages = readFiles('docs/{operating,administration,security}/*.md').filter(({ path }) => !LONG.includes(path))
  nothing(
    pages.filter(({ text }) => wordsIn(text) > WORDS_MAX).map(({ path }) => path),
    `More than ${WORDS_MAX} words: split it by subject.`,
  )
})

test('each page of docs/ is behind a door of the site, and each door leads to a page', () => {
  const listed = [...DOORS.flatMap(({ sections }) => sections), REFERENCE].flatMap(({ pages }) => pages)
  // Those below reference/operations are made by the build.
  const written = listed.filter(page => page !== 'reference/operations').toSorted()
  const pages = readFiles('docs/**/*.md').map(({ path }) => path.replace(/^docs\/|\.md$/g, ''))
  const due = pages.filter(page => !UNLISTED.some(folder => page.startsWith(folder)))
  assert.deepEqual(written, due.toSorted(), 'See site/contents.ts.')
})
