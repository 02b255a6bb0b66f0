// Builds the site and checks it: `npm run site:check`. No link leads nowhere, no page is heavy or loads anything from another host,
// and the search finds what newcomers ask for.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { gzipSync } from 'node:zlib'
import { SITE_PATH } from '../server/src/http/openapi/serve-site.ts'
import { buildSite, BUILT } from './build.ts'
import { SEARCH_OPTIONS } from './search.ts'
import { type Question, QUESTIONS } from './questions.ts'

/** What a first visit transfers: the page and what it names, compressed. */
const PAGE_BYTES_MAX = 200_000
const RESULTS = 3

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const compressed = new Map<string, number>()

const bytesOf = (path: string): number => {
  const known = compressed.get(path) ?? gzipSync(readFileSync(join(BUILT, path)), { level: 9 }).length
  compressed.set(path, known)
  return known
}

const attributesIn = (html: string, pattern: RegExp): readonly string[] => [
  ...new Set([...html.matchAll(pattern)].map(([, value = '']) => value.replaceAll('&amp;', '&'))),
]

/** Paths below the site of what a page loads: an image that is lazy only when a reader scrolls to it. */
const loadedBy = (html: string): readonly string[] =>
  attributesIn(html, /<(?:script|img|link)\b[^>]*?\b(?:src|href)="([^"]+)"/g)

const loadedAtOnceBy = (html: string): readonly string[] =>
  loadedBy(html.replaceAll(/<img\b[^>]*\bloading="lazy"[^>]*>/g, ''))

const pages = (): ReadonlyMap<string, string> =>
  new Map(globSync('**/*.html', { cwd: BUILT }).map(path => [path, readFileSync(join(BUILT, path), 'utf8')]))

type Pages = ReadonlyMap<string, string>

const findDeadLinks = (all: Pages): readonly string[] =>
  [...all].flatMap(([path, html]) =>
    attributesIn(html, /<a\b[^>]*?\bhref="([^"]+)"/g)
      .filter(link => !/^[a-z]+:/.test(link) && link !== `${SITE_PATH}../`)
      .filter(link => {
        const [address = '', id] = link.split('#')
        const target =
          address === '' ? path : posix.relative(SITE_PATH, posix.resolve(SITE_PATH, dirname(path), address))
        const text = all.get(target === '' ? 'index.html' : target)
        return text === undefined || (id !== undefined && !text.includes(`id="${decodeURIComponent(id)}"`))
      })
      .map(link => `${path}: the link ${link} leads nowhere`),
  )

const findHeavy = (all: Pages): readonly string[] => {
  const weights = [...all].map(([path, html]) => {
    const parts = loadedAtOnceBy(html).map(address => posix.relative(SITE_PATH, address))
    return { path, bytes: [path, ...parts].reduce((sum, part) => sum + bytesOf(part), 0) }
  })
  const heaviest = weights.toSorted((a, b) => b.bytes - a.bytes)
  for (const { path, bytes } of heaviest.slice(0, 3)) print(`${path}: ${Math.round(bytes / 1000)} kB`)
  return heaviest.filter(({ bytes }) => bytes > PAGE_BYTES_MAX).map(({ path, bytes }) => `${path} has ${bytes} bytes`)
}

/** Also scripts and styles within a page, which the policy of the service refuses. */
const findForeign = (all: Pages): readonly string[] => [
  ...[...all].flatMap(([path, html]) => [
    ...loadedBy(html)
      .filter(address => !address.startsWith(SITE_PATH))
      .map(address => `${path} loads ${address}`),
    ...(/<script\b(?![^>]*\bsrc=)|<style\b/.test(html) ? [`${path} has a script or a style within it`] : []),
  ]),
  ...globSync('**/*.css', { cwd: BUILT }).flatMap(path =>
    attributesIn(readFileSync(join(BUILT, path), 'utf8'), /url\(["']?((?!data:)[^"')]+)/g).map(
      address => `${path} loads ${address}`,
    ),
  ),
]

type Index = { readonly search: (words: string) => readonly { readonly id: string }[] }
type MiniSearch = { readonly loadJSON: (json: string, options: object) => Index }

/** As VPLocalSearchBox.vue of VitePress asks it. */
const SEARCH = {
  fields: ['title', 'titles', 'text'],
  storeFields: ['title', 'titles'],
  searchOptions: SEARCH_OPTIONS,
}

const findUnanswered = async (): Promise<readonly string[]> => {
  const [path = ''] = globSync('assets/chunks/@localSearchIndexroot.*.js', { cwd: BUILT })
  const { default: json } = (await import(join(BUILT, path))) as { default: string } // as VitePress writes it
  const module = join(import.meta.dirname, 'node_modules', 'minisearch', 'dist', 'es', 'index.js')
  const { default: miniSearch } = (await import(module)) as { default: MiniSearch } // its types are not installed with the tests
  const index = miniSearch.loadJSON(json, SEARCH)
  const find = ({ words, pages: wanted }: Question): readonly string[] => {
    const found = index
      .search(words)
      .slice(0, RESULTS)
      .map(({ id }) => id)
    const rank = found.findIndex(id => wanted.some(page => id.split('#')[0] === `${SITE_PATH}${page}.html`))
    if (rank >= 0) print(`“${words}”: ${rank + 1}. ${found[rank]}`)
    return rank >= 0 ? [] : [`“${words}” finds ${found.join(', ')}`]
  }
  return QUESTIONS.flatMap(find)
}

await buildSite()
const all = pages()
const problems = [...findDeadLinks(all), ...findHeavy(all), ...findForeign(all), ...(await findUnanswered())]
print(`${all.size} pages, ${problems.length} problems`)
for (const problem of problems) print(problem)
process.exitCode = problems.length > 0 ? 1 : 0
