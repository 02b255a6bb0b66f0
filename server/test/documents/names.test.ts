// The pages name what the code has, and nothing that it has not: refusals, variables, files and routes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathOf } from '../../../api/operation.ts'
import { OPERATIONS } from '../../../api/operations.ts'
import { listAgentUsage } from '../../../api/usage.ts'
import { isThere, nothing, readFiles, readText } from '../../../testkit/sources/source-files.ts'

const namesIn = (text: string, pattern: RegExp): readonly string[] =>
  [...new Set([...text.matchAll(pattern)].map(([name]) => name))].toSorted()

const without = (all: readonly string[], taken: readonly string[]): readonly string[] =>
  all.filter(name => !taken.includes(name))

const docs = (): string =>
  readFiles('docs/**/*.md')
    .map(file => file.text)
    .join('\n')

test('docs/manage/usage.md names every member of what agents use', () => {
  const [, section = ''] = /^(Agents are in the order[\s\S]*?)^The status/m.exec(readText('docs/manage/usage.md')) ?? []
  const members = Object.keys(listAgentUsage.answers[200].shape.data.element.shape)
  nothing(without(members, namesIn(section, /(?<=`)[a-z_]+(?=`)/g)), 'Answered, but not in docs/manage/usage.md:')
})

test('the documents name every variable that the code of settings reads, and no other', () => {
  const variablesIn = (glob: string): readonly string[] =>
    namesIn(
      readFiles(glob)
        .map(file => file.text)
        .join('\n'),
      /\bMINTMARK_[A-Z_]+[A-Z]\b/g,
    )
  const read = variablesIn('server/src/config/**/*.ts')
  // Those of the gateway process are in the table of its own page.
  const named = namesIn(docs(), /\bMINTMARK_(?!VERIFY_)[A-Z_]+[A-Z]\b/g)
  assert.ok(read.includes('MINTMARK_BASE_URL'), 'The settings name no variable of ours.')
  nothing(without(read, named), 'Read by the settings, but in no page of docs/:')
  nothing(
    without(named, [...read, ...read.map(name => `${name}_FILE`), ...variablesIn('deploy/**/compose.yaml')]),
    'In a page of docs/, but not read by the settings:',
  )
})

/** Nobody has published our names on npm, so anybody may take them; on PyPI `mintmark` is another program. */
const FOREIGN_INSTALLS = [
  /\b(?:npm|pnpm|yarn|bun) (?:install|i|add)\b[^\n`#]* (?:@mintmark\/|mintmark(?![\w./-]))/,
  /\bpip3? install\b[^\n`#]* mintmark(?![\w./-])/,
]

test('no page, example or screen installs a package by a name that is not ours', () => {
  const files = ['*.md', '{docs,deploy,examples,packages,server}/**/*.md', '{console/src,examples}/**/*.{ts,tsx,sh,py}']
  nothing(
    files
      .flatMap(readFiles)
      .flatMap(({ path, text }) =>
        FOREIGN_INSTALLS.flatMap(form => form.exec(text) ?? []).map(found => `${path}: ${found}`),
      ),
    'Nobody owns that name: install from a file, and link to docs/start/get-mintmark.md.',
  )
})

test('the documents name no file that is not there', () => {
  // What the program prints names files as the program sees them.
  const documents = [...readFiles('*.md'), ...readFiles('docs/!(reference)/**/*.md'), ...readFiles('docs/*.md')]
  const wrong = documents.flatMap(file =>
    namesIn(file.text, /(?<=[`(])[\w.-]+(?:\/[\w.-]+)*\.(?:ts|md|mjs)(?=[)`])/g)
      .filter(name => !['.', 'server/src', file.path.replace(/[^/]*$/, '.')].some(top => isThere(`${top}/${name}`)))
      .map(name => `${file.path} names ${name}`),
  )
  nothing(wrong, 'Moved, renamed or not built:')
})

test('the docs name every route', () => {
  const routes = OPERATIONS.map(pathOf)
  nothing(without(routes, namesIn(docs(), /\/[a-z0-9._/{}-]*[a-z0-9}]/g)), 'A route, but in no file of docs/:')
})

test('docs/manage/, and run/keys, name every operation of the administration that changes something', () => {
  const pages = readFiles('docs/{manage/*,run/keys}.md')
  const named = namesIn(pages.map(({ text }) => text).join('\n'), /(?<=`)[A-Z]+ \/[a-z0-9._/{}-]+(?=`)/g)
  const routes = OPERATIONS.map(({ route }) => route).filter(route => /^(?!GET )\S+ \/api\//.test(route))
  nothing(without(routes, named), 'In api/, but not in docs/manage/:')
})

test('the index of decisions names every record', () => {
  const named = namesIn(readText('docs/decisions/README.md'), /(?<=\()(?:archive\/)?\d{4}-[a-z0-9-]+\.md(?=\))/g)
  const records = readFiles('docs/decisions/{,archive/}[0-9]*.md').map(({ path }) =>
    path.replace('docs/decisions/', ''),
  )
  nothing(without(records, named), 'Put it into docs/decisions/README.md, at its folder:')
})
