// The brake: how large each part is. It may fall; a commit that raises a number here says why.
import { test } from 'node:test'
import { wordsIn } from '../../../testkit/sources/markdown.ts'
import { nothing, readFiles } from '../../../testkit/sources/source-files.ts'

type Size = { readonly lines: number; readonly files: number }

const CODE = '**/*.{ts,tsx,mjs,js,css,html,py,go,java,c,lua,sh}'

const codeIn = (...folders: readonly string[]): readonly string[] => folders.map(folder => `${folder}/${CODE}`)

const PARTS: Readonly<Record<string, Size & { readonly globs: readonly string[] }>> = {
  'api and server/src': { globs: codeIn('api', 'server/src'), lines: 69_165, files: 729 },
  'server/test': { globs: codeIn('server/test'), lines: 75_982, files: 582 },
  packages: { globs: codeIn('packages'), lines: 36_004, files: 309 },
  console: { globs: codeIn('console'), lines: 15_494, files: 228 },
  'testkit and proof': { globs: codeIn('testkit', 'proof'), lines: 43_712, files: 492 },
  'examples, site and deploy': { globs: codeIn('examples', 'site', 'deploy'), lines: 5_390, files: 65 },
}

/** Those of the pages, without the records of decisions, what programs write, and copies of files. */
const WRITTEN_WORDS = 59_939
const PAGES = [
  '*.md',
  'docs/!(decisions|reference)/**/*.md',
  '{server,site}/*.md',
  '{deploy,packages,examples}/**/*.md',
  'proof/**/!(RESULTS).md',
]

/** A number that is more than a hundredth above what is there is to be lowered. */
const SLACK = 1.01

const linesIn = (text: string): number => text.split('\n').length - 1

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

const wrongOf = (what: string, measured: number, noted: number): readonly string[] => {
  if (measured > noted) return [`${what}: ${measured}, where at most ${noted} are noted`]
  return measured * SLACK < noted ? [`${what}: ${measured}, where ${noted} are noted: lower the number`] : []
}

for (const [name, { globs, lines, files }] of Object.entries(PARTS)) {
  test(`the lines and files of ${name} grow only where the number in this test does`, () => {
    // What a build left is no source.
    const found = globs.flatMap(readFiles).filter(({ path }) => !path.includes('/dist/'))
    nothing(
      [
        ...wrongOf('lines', sum(found.map(({ text }) => linesIn(text))), lines),
        ...wrongOf('files', found.length, files),
      ],
      'Make it smaller; or raise the number, and say in the message of the commit why.',
    )
  })
}

test('the words of the pages grow only where the number in this test does', () => {
  const words = sum(PAGES.flatMap(readFiles).map(({ text }) => wordsIn(text)))
  nothing(
    wrongOf('words', words, WRITTEN_WORDS),
    'Cut something; or raise the number, and say in the message of the commit why.',
  )
})
