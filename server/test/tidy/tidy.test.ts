// The house rules that a linter cannot know: who may import whom, what things are called.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  findCycle,
  findIn,
  importedFilesOf,
  importedPackagesOf,
  lineOf,
  listPaths,
  nothing,
  readFiles,
  readText,
} from '../../../testkit/sources/source-files.ts'

type Rule = { readonly files: readonly string[]; readonly packages: 'any' | 'none' }

const EVERYTHING: Rule = {
  files: [
    'readers',
    'process',
    'api',
    'api/values',
    'domain',
    'ports',
    'metrics',
    'traces',
    'operations',
    'http',
    'cli',
    'dev',
    'serving',
    'store',
    'keys',
    'config',
    'compose',
    'files',
    'package.json',
  ],
  packages: 'any',
}

/**
 * What a layer, a folder of server/src, may import. Data flows one way; `compose` joins the ends.
 */
const LAYERS: Readonly<Record<string, Rule>> = {
  // The strict readers of packages/verify, which the service and resource servers share; `process` of packages/gateway is of Node alone.
  readers: { files: ['readers'], packages: 'none' },
  process: { files: ['process'], packages: 'any' },
  'api/values': { files: ['api/values', 'readers'], packages: 'none' },
  api: { files: ['api', 'api/values', 'readers'], packages: 'any' },
  domain: { files: ['domain', 'api/values', 'readers'], packages: 'none' },
  ports: { files: ['ports', 'domain', 'api/values', 'readers'], packages: 'none' },
  operations: { files: ['operations', 'domain', 'ports', 'api/values', 'readers'], packages: 'none' },
  http: {
    files: ['http', 'operations', 'domain', 'ports', 'api', 'api/values', 'readers', 'process', 'package.json'],
    packages: 'any',
  },
  cli: {
    // biome-ignore format: one name a line would make this file too long.
    files: ['cli', 'readers', 'dev', 'files', 'serving', 'operations', 'domain', 'ports', 'config', 'compose', 'api', 'api/values', 'packages', 'package.json'],
    packages: 'any',
  },
  dev: { files: ['dev', 'files', 'operations', 'domain', 'ports', 'config', 'compose', 'api/values'], packages: 'any' },
  metrics: { files: ['metrics', 'ports', 'domain', 'api', 'api/values'], packages: 'any' },
  traces: { files: ['traces', 'ports'], packages: 'any' },
  serving: {
    files: ['serving', 'readers', 'metrics', 'domain', 'ports', 'config', 'compose', 'store', 'api/values'],
    packages: 'any',
  },
  files: { files: ['files'], packages: 'any' },
  store: { files: ['store', 'files', 'metrics', 'domain', 'ports', 'api/values'], packages: 'any' },
  keys: {
    files: ['keys', 'domain', 'ports', 'api/values', 'readers', 'process', 'package.json'],
    packages: 'any',
  },
  config: { files: ['config', 'domain', 'api/values', 'readers', 'process'], packages: 'any' },
  compose: EVERYTHING,
  main: EVERYTHING,
}

const SOURCES = ['api', 'server/src', 'packages/verify/src/readers', 'packages/gateway/src/process'].flatMap(folder =>
  readFiles(`${folder}/**/*.ts`),
)
/** tidy-workspaces.test.ts says what they may import. */
const PACKAGES = readFiles('packages/{,*/{,src/**/}}*.ts')
const TESTS = ['server/test', 'testkit', 'proof/drills/test', 'packages/*/test', 'console/test'].flatMap(folder =>
  readFiles(`${folder}/**/*.ts`),
)
const CONSOLE = readFiles('console/src/**/*.{ts,tsx}')
const CODE = [...SOURCES, ...PACKAGES, ...TESTS, ...readFiles('server/bin/*.js'), ...readFiles('examples/**/*.ts')]
const BANNED_FOLDER = /(?:^|\/)(?:utils?|helpers?|common|shared|misc|lib)(?:\/|$)/
const BANNED_STEM = /(?:^|[-./])(?:manager|helper|util|service|impl|data|info|index)s?(?:\.[a-z]+)+$/
const DECLARED =
  /\b(const|let|function\*?|class|interface|type)\s+([A-Za-z_$][\w$]*)(?=\s*(?:[=<{(:]|extends|implements))/g
const BANNED_NAME = /(?:Manager|Helper|Util|Impl|Data|Info|_(?:MANAGER|HELPER|UTIL|IMPL|DATA|INFO))s?$/
// The program is a service, and a function may open it: only a kind of thing must not be called one.
const BANNED_KIND = /^(?:class|interface|type) .+Services?$/
const NAME_OF_FILE = /^(?:[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+)+|(?:__init__|[a-z0-9]+(?:_[a-z0-9]+)*)\.py)$/

const layerOf = (path: string): string =>
  path.startsWith('api/values/')
    ? 'api/values'
    : path
        .replace(/^(?:server\/(?:src\/)?|packages\/(?:verify|gateway)\/src\/(?=readers|process))/, '')
        .replace(/(?:\/.*|\.ts)$/, '')

const without = (all: readonly string[], taken: readonly string[]): readonly string[] =>
  all.filter(name => !taken.includes(name))

const dependenciesIn = (path: string, ...kinds: readonly string[]): ReadonlyMap<string, string> => {
  const manifest = JSON.parse(readText(path)) as Readonly<Record<string, Readonly<Record<string, string>> | undefined>>
  return new Map(kinds.flatMap(kind => Object.entries(manifest[kind] ?? {})))
}

test('there is source to judge, and every file of it stands in a layer', () => {
  assert.ok(SOURCES.length > 10 && TESTS.length > 1, 'The globs of this test find next to nothing.')
  const strays = SOURCES.map(file => file.path).filter(path => LAYERS[layerOf(path)] === undefined)
  nothing(strays, `A file of server/src stands in one of: ${Object.keys(LAYERS).join(', ')}.`)
})

test('a layer imports only what data flows toward', () => {
  const wrong = SOURCES.flatMap(file => {
    const layer = layerOf(file.path)
    const allowed = LAYERS[layer]?.files ?? []
    return importedFilesOf(file)
      .filter(path => !allowed.includes(layerOf(path)))
      .map(path => `${file.path} imports ${path}, but ${layer} may import only ${allowed.join(', ')}`)
  })
  nothing(wrong, 'See "Layers" in ARCHITECTURE.md.')
})

test('inside http/ the wire imports no routes, and no routes those of another subject', () => {
  const routesOf = (path: string): string | undefined => /\/http\/(admin|console|oauth)\//.exec(path)?.[1]
  for (const file of SOURCES.filter(({ path }) => /\/http\/(?:wire|notes|admin|console|oauth)\//.test(path))) {
    const others = importedFilesOf(file).filter(path => ![undefined, routesOf(file.path)].includes(routesOf(path)))
    nothing(others, `${file.path} imports them: what two subjects share is in http/wire/.`)
  }
})

test('domain, ports and operations import no package and nothing of Node', () => {
  const wrong = SOURCES.filter(file => LAYERS[layerOf(file.path)]?.packages === 'none').flatMap(file =>
    importedPackagesOf(file).map(name => `${file.path} imports ${name}`),
  )
  nothing(wrong, 'Time, randomness, keys, storage and network come through ports.')
})

test('there are no circular imports, types included', () => {
  const cycle = findCycle(new Map([...CODE, ...CONSOLE].map(file => [file.path, importedFilesOf(file)])))
  assert.equal(cycle, undefined, `An import cycle: ${cycle?.join(' → ')}`)
})

test('the folders of the console import one way', () => {
  const folderOf = (path: string): string => /^console\/src\/[^/]+\//.exec(path)?.[0] ?? ''
  const imported = Map.groupBy(CONSOLE, ({ path }) => folderOf(path)).entries()
  const graph = new Map(
    [...imported].map(([folder, files]) => {
      const others = files.flatMap(importedFilesOf).map(folderOf)
      return [folder, others.filter(other => other !== folder && other !== '')] as const
    }),
  )
  assert.ok(graph.size > 10)
  const cycle = findCycle(graph)
  assert.equal(cycle, undefined, `A circle of folders: ${cycle?.join(' → ')}`)
})

test('process.env is read in config/config.ts only; main.ts sets what Node reads of it', () => {
  const others = SOURCES.filter(({ path }) => path !== 'server/src/config/config.ts' && path !== 'server/src/main.ts')
  nothing(
    findIn(others, /\bprocess\.env\b|\bfrom 'node:process'|\benv\b[^=\n]*\}\s*=\s*process\b/),
    'config.ts reads the environment.',
  )
})

test('files are kebab-case, and no folder or file is named for nothing in particular', () => {
  const paths = [
    ...listPaths('api'),
    ...listPaths('server/src'),
    ...listPaths('server/test'),
    ...listPaths('testkit'),
    ...listPaths('server/bin'),
    ...listPaths('packages/*/{src,test}'),
    ...listPaths('examples').filter(path => path.endsWith('.ts')),
  ]
  const files = paths.filter(path => path.includes('.'))
  nothing(
    files.filter(path => !NAME_OF_FILE.test(path.slice(path.lastIndexOf('/') + 1))),
    'File names are kebab-case; Python imports those in snake_case alone.',
  )
  nothing(
    paths.filter(path => BANNED_FOLDER.test(path)),
    'A folder is named for its layer or capability.',
  )
  nothing(
    files.filter(path => BANNED_STEM.test(path) && !/^packages\/[^/]+\/src\/index\.ts$/.test(path)),
    'A file is named for what it exports, and is no barrel.',
  )
})

test('nothing is declared a Manager, Helper, Util, Service, Impl, Data or Info', () => {
  const wrong = CODE.flatMap(file =>
    [...file.text.matchAll(DECLARED)]
      .filter(([, kind, name = '']) => BANNED_NAME.test(name) || BANNED_KIND.test(`${kind} ${name}`))
      .map(found => `${lineOf(file, found.index)}: ${found[0]}`),
  )
  nothing(wrong, 'Name the thing, not its kind.')
})

test('every source file opens with a comment that says what it is for', () => {
  const files = [...SOURCES, ...PACKAGES]
  const wrong = files.filter(file => !/^(?:\/\/ |\/\*\*)/.test(file.text)).map(file => file.path)
  nothing(wrong, 'The first line of a source file is a comment.')
})

test('a folder with more than five files opens with what it owns, at the head of its first file', () => {
  const sources = ['api', 'server/src', 'packages/*/src', 'console/src'].flatMap(root =>
    readFiles(`${root}/**/*.{ts,tsx,css}`).filter(({ path }) => !path.includes('/generated/')),
  )
  const folders = Map.groupBy(sources, ({ path }) => path.slice(0, path.lastIndexOf('/')))
  const firsts = [...folders.values()].flatMap(files => (files.length > 5 ? files.slice(0, 1) : []))
  assert.ok(firsts.length > 50, `${firsts.length} folders`)
  nothing(
    firsts.filter(({ text }) => !/^(?:\/\/|\/\*) In this folder: /.test(text)).map(({ path }) => path),
    'Begin the file with "// In this folder: ": what the folder owns, and what it leaves to others.',
  )
})

test('no unfinished thought is left behind, and no test is switched off', () => {
  nothing(findIn(CODE, /\b(?:TO[D]O|FIX[M]E|X[X]X)\b/), 'Finish it, or write an issue.')
  const off = findIn(TESTS, /\.(?:only|skip|todo)\(|\b(?:only|skip|todo): (?!false|NO_(?:TERMINAL|CURL)\b)/)
  const browsers = ['console/test/', 'packages/verify/test/process/browser.test.ts:']
  const mayBeMissing = [
    'testkit/databases/pooler.ts:',
    'server/test/process/serving/metrics-formats.test.ts:',
    ...browsers,
  ]
  const wrong = off.filter(place => !mayBeMissing.some(file => place.startsWith(file)))
  nothing(
    wrong,
    'Every test runs, but those that need a PgBouncer, promtool, chromium, curl or script(1) where the machine has none.',
  )
})

const DEPENDENCY_KINDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const
const WORKSPACES = (JSON.parse(readText('package.json')) as { readonly workspaces: readonly string[] }).workspaces

test('every dependency has one exact version', () => {
  const wrong = ['.', ...WORKSPACES, 'runtime', 'site']
    .map(folder => `${folder}/package.json`)
    .flatMap(path =>
      [...dependenciesIn(path, ...DEPENDENCY_KINDS)]
        .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
        .map(([name, version]) => `${path}: ${name} ${version}`),
    )
  nothing(wrong, 'Write the exact version, without a range.')
})

test('each lock file names the dependencies of its manifests, no others and in the same kinds', () => {
  type Manifest = Partial<Record<(typeof DEPENDENCY_KINDS)[number], Record<string, string>>>
  const read = (path: string): unknown => JSON.parse(readText(path))
  for (const [lock = '', place = '', path = ''] of [
    ['package-lock.json', '', 'package.json'],
    ...WORKSPACES.map(folder => ['package-lock.json', folder, `${folder}/package.json`]),
    ['runtime/package-lock.json', '', 'runtime/package.json'],
    ['site/package-lock.json', '', 'site/package.json'],
  ]) {
    const { packages } = read(lock) as { packages: Record<string, Manifest> }
    const manifest = read(path) as Manifest
    for (const kind of DEPENDENCY_KINDS) assert.deepEqual(packages[place]?.[kind], manifest[kind], `${lock}: ${kind}`)
  }
})

test('every runtime dependency is used by the source, recorded in docs/decisions/, and nothing else is imported', () => {
  const declared = [...dependenciesIn('server/package.json', 'dependencies').keys()]
  // The command line takes its source of tokens from packages/client: docs/decisions/archive/0072-client.md.
  const imported = [...SOURCES, ...readFiles('packages/client/src/**/*.ts')]
    .flatMap(importedPackagesOf)
    .filter(name => !name.startsWith('node:'))
  const records = readFiles('docs/decisions/{,archive/}[0-9]*.md')
    .map(file => file.text)
    .join('\n')
  nothing(
    without([...new Set(imported)], declared),
    'Imported in server/src, but no dependency in server/package.json:',
  )
  nothing(without(declared, imported), 'A dependency that nothing in server/src imports:')
  nothing(
    declared.filter(name => !records.includes(`\`${name}\``)),
    'Not recorded with its reason in docs/decisions/:',
  )
})

test('a decision record has at most 40 lines', () => {
  const records = readFiles('docs/decisions/{,archive/}[0-9]*.md')
  assert.ok(records.length > 0, 'There are no decision records.')
  nothing(
    records.filter(file => file.text.trimEnd().split('\n').length > 40).map(file => file.path),
    'Say it shorter.',
  )
})
