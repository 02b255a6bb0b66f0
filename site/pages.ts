// Copies docs/ for VitePress. A link out of docs/ becomes one to the repository, and what only tools read becomes a link or nothing.
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import manifest from '../server/package.json' with { type: 'json' }

const ROOT = join(import.meta.dirname, '..')
const DOCS = join(ROOT, 'docs')
/** Of a file or a folder of this repository. */
const REPOSITORY = `${manifest.repository.url.replace(/^git\+|\.git$/g, '')}/tree/main`

/** The paths of the pages of docs/, from there. */
export const listPages = (): readonly string[] =>
  globSync('**/*.md', { cwd: DOCS })
    .map(path => path.replaceAll('\\', '/'))
    .toSorted()

const isPicture = (path: string): boolean => path.startsWith('docs/images/')

const targetFrom = (page: string, link: string): string => {
  if (/^(?:[a-z]+:|#)/.test(link)) return link
  const [path = '', id] = link.split('#')
  const target = posix.join('docs', posix.dirname(page), path)
  if (isPicture(target) || (target.startsWith('docs/') && target.endsWith('.md'))) return link
  return `${REPOSITORY}/${target}${id === undefined ? '' : `#${id}`}`
}

/** The text of a page as the site has it. */
export const pageFrom = (page: string, text: string): string =>
  text
    .replaceAll(/\]\(([^()\s]+)\)/g, (_link, target: string) => `](${targetFrom(page, target)})`)
    // The name of a file, above its block of code.
    .replaceAll(/^<!-- ([\w./-]+) -->$/gm, (_comment, path: string) => `[\`${path}\`](${REPOSITORY}/${path}):`)
    .replaceAll(/^<!--[^]*?-->\n/gm, '')

/** Writes the pages and their pictures into a folder. */
export const copyPages = (folder: string): void => {
  for (const page of listPages()) {
    const path = join(folder, page)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, pageFrom(page, readFileSync(join(DOCS, page), 'utf8')))
  }
  // The scripts that record pictures stay: a copy of them would be checked with the sources.
  cpSync(join(DOCS, 'images'), join(folder, 'images'), { recursive: true, filter: path => !path.endsWith('.ts') })
}

/** The title of a page: its first heading. */
export const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? ''
