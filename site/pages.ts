// Copies docs/, and the pages elsewhere that contents.ts names, for VitePress. A link to a page leads to it, any other to the repository,
// and what only tools read becomes a link, a note or nothing.
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import manifest from '../server/package.json' with { type: 'json' }
import { ELSEWHERE } from './contents.ts'

const ROOT = join(import.meta.dirname, '..')
const DOCS = join(ROOT, 'docs')
/** Of a file or a folder of this repository. */
const REPOSITORY = `${manifest.repository.url.replace(/^git\+|\.git$/g, '')}/tree/main`

/** The file of each page of the site, by the path of the page. */
const listPages = (): readonly (readonly [page: string, file: string])[] => [
  ...globSync('**/*.md', { cwd: DOCS })
    .map(path => path.replaceAll('\\', '/'))
    .toSorted()
    .map(page => [page, `docs/${page}`] as const),
  ...Object.entries(ELSEWHERE).map(([page, file]) => [`${page}.md`, file] as const),
]

const isPicture = (path: string): boolean => path.startsWith('docs/images/')

/** Where a page or a picture of the repository is on the site; undefined for any other file. */
const placeOf = (file: string): string | undefined => {
  const elsewhere = Object.entries(ELSEWHERE).find(([, one]) => one === file)
  if (elsewhere !== undefined) return `${elsewhere[0]}.md`
  return isPicture(file) || (file.startsWith('docs/') && file.endsWith('.md')) ? file.slice('docs/'.length) : undefined
}

const targetFrom = (page: string, file: string, link: string): string => {
  if (/^(?:[a-z]+:|#)/.test(link)) return link
  const [path = '', id] = link.split('#')
  const heading = id === undefined ? '' : `#${id}`
  const target = posix.join(posix.dirname(file), path)
  const place = placeOf(target)
  if (place === undefined) return `${REPOSITORY}/${target}${heading}`
  const way = posix.relative(posix.dirname(page), place)
  return `${way.startsWith('.') ? way : `./${way}`}${heading}`
}

/** Without blocks of code, which stay as they are. */
const proseFrom = (page: string, file: string, text: string): string =>
  text
    .replaceAll(/\]\(([^()\s]+)\)/g, (_link, target: string) => `](${targetFrom(page, file, target)})`)
    // The name of a file, above its block of code.
    .replaceAll(/^<!-- ([\w./-]+) -->$/gm, (_comment, path: string) => `[\`${path}\`](${REPOSITORY}/${path}):`)
    .replaceAll(/^<!-- not run: (.+) -->$/gm, '*Not run by our tests: $1.*\n')
    .replaceAll(/^<!--[^]*?-->\n/gm, '')

const FENCED = /(^```[^\n]*\n[^]*?^```$)/gm

/** The text of a page as the site has it, from a file of the repository. */
const pageFrom = (page: string, file: string, text: string): string =>
  text
    .split(FENCED)
    .map((part, n) => (n % 2 === 0 ? proseFrom(page, file, part) : part))
    .join('')

/** Writes the pages and their pictures into a folder. */
export const copyPages = (folder: string): void => {
  for (const [page, file] of listPages()) {
    const path = join(folder, page)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, pageFrom(page, file, readFileSync(join(ROOT, file), 'utf8')))
  }
  // The scripts that record pictures stay: a copy of them would be checked with the sources.
  cpSync(join(DOCS, 'images'), join(folder, 'images'), { recursive: true, filter: path => !path.endsWith('.ts') })
}

/** The title of a page: its first heading. */
export const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? ''
