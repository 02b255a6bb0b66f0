// Builds the documentation site into server/guide, from where the service serves it: `npm run site`. VitePress has a manifest of its own here, installed by the
// first build, so that nobody who only runs or tests the service installs it.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import manifest from '../server/package.json' with { type: 'json' }
import { SITE_PATH } from '../server/src/http/openapi/serve-site.ts'
import { ICON_SVG } from '../server/src/http/openapi/icon.ts'
import { DOORS, REFERENCE, type Section, UNLISTED } from './contents.ts'
import { copyPages, titleOf } from './pages.ts'
import { writeOperations } from './reference/operations.ts'

const SITE = import.meta.dirname
const DIST = join(SITE, 'dist')
const PAGES = join(DIST, 'pages')
/** The built site. */
export const BUILT = join(SITE, '..', 'server', 'guide')
const VITEPRESS = join(SITE, 'node_modules', 'vitepress', 'bin', 'vitepress.js')

const run = (command: string, args: readonly string[]): void => {
  // Its tools run on this Node, not on the one that started npm.
  const PATH = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter)
  const env = { ...process.env, PATH, SITE_FOLDER: SITE }
  const { status } = spawnSync(command, [...args], { cwd: SITE, env, stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) process.exit(status ?? 1)
}

/** Once for each lock file. */
const install = (): void => {
  const stamp = join(SITE, 'node_modules', '.mintmark-site')
  const wanted = createHash('sha256')
    .update(readFileSync(join(SITE, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  run('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
  writeFileSync(stamp, wanted)
}

const readPage = (page: string): string => readFileSync(join(PAGES, `${page}.md`), 'utf8')

const write = (page: string, text: string): void => {
  const path = join(PAGES, page)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const itemsOf = ({ title, pages }: Section) => ({
  text: title,
  items: pages.map(page => ({ text: titleOf(readPage(page)).replaceAll('`', ''), link: `/${page}` })),
})

const sidebar = () => [
  ...DOORS.map(({ title, sections }) => ({ text: title, items: sections.map(itemsOf) })),
  itemsOf(REFERENCE),
]

/** The first page: a door for each role. */
const writeHome = (): string => {
  const doors = DOORS.map(({ title, details, sections }) => {
    const pages = sections.flatMap(section => section.pages).map(page => `- [${titleOf(readPage(page))}](/${page}.md)`)
    return `## ${title}\n\n${details}\n\n${pages.join('\n')}\n`
  })
  return `# Mintmark ${manifest.version}\n\nA token service for software agents: short-lived tokens, a list of every live one, and revocation that holds at once.\nNew here? Begin with the [quickstart](/agents/quickstart.md).\n\n${doors.join('\n')}`
}

/** Ends the process where VitePress finds a fault, such as a dead link. */
export const buildSite = async (): Promise<void> => {
  rmSync(DIST, { recursive: true, force: true })
  install()
  copyPages(PAGES)
  for (const [page, text] of await writeOperations()) write(page, text)
  write('index.md', writeHome())
  write('public/mark.svg', ICON_SVG)
  const contents = { base: SITE_PATH, version: manifest.version, sidebar: sidebar(), unlisted: UNLISTED }
  writeFileSync(join(DIST, 'contents.json'), JSON.stringify(contents))
  run(process.execPath, [VITEPRESS, 'build', '.'])
}

if (import.meta.main) await buildSite()
