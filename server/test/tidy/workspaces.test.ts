// The house rules of the workspaces: what each may import, the packages that its manifest names, and the size of folders.
// The packages of packages/ are installed by others, and run where there is no Node.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROCESS_TESTS } from '../suites/process-tests.ts'
import {
  findCycle,
  findIn,
  importedFilesOf,
  importedPackagesOf,
  isThere,
  listPaths,
  nothing,
  readFiles,
  readText,
} from '../../../testkit/sources/source-files.ts'

/** What a folder may import beside itself. Tests and what proves use the testkit, never each other. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'server/test': [
    'server/src',
    'packages/verify/src/readers',
    'packages/gateway/src/process',
    'server/package.json',
    'api',
    'testkit',
    'proof/interop',
    'docs',
    'deploy',
    'site',
  ],
  testkit: ['server/src', 'api', 'packages/client/src', 'packages/gateway/src', 'packages/verify/src'],
  proof: ['server/src', 'api', 'testkit', 'packages/verify/src', 'deploy/grafana'],
  'console/test': ['console/src', 'api', 'packages/client', 'testkit'],
}
const FOLDERS = Object.keys(MAY_IMPORT)
const FOLDER_ENTRIES_MAX = 30

/** Each is copied by its readers, and works where they put it. */
const EXAMPLES = (JSON.parse(readText('package.json')) as { readonly workspaces: readonly string[] }).workspaces.filter(
  folder => folder.startsWith('examples/'),
)

type Manifest = Readonly<Partial<Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>>> &
  Readonly<Partial<Record<'name' | 'license', string>>>

const filesOf = (folder: string) => readFiles(`${folder}/**/*.ts`)

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

const packagesOf = (...folders: readonly string[]): ReadonlySet<string> =>
  new Set(
    folders
      .flatMap(filesOf)
      .flatMap(importedPackagesOf)
      .filter(name => !/^node:|\$/.test(name)),
  )

const manifestOf = (folder: string) => JSON.parse(readText(`${folder}/package.json`)) as Manifest

/** `@types/NAME` are the types of NAME, and those of Node are everybody's. */
const typedBy = (name: string): string => name.replace(/^@types\//, '')

test('tests, testkit and proof import only what they stand on', () => {
  const wrong = FOLDERS.flatMap(folder => {
    const files = filesOf(folder)
    assert.ok(files.length > (folder === 'console/test' ? 1 : 10), `${folder} holds next to no files.`)
    const allowed = [folder, ...(MAY_IMPORT[folder] ?? [])]
    return files.flatMap(file =>
      importedFilesOf(file)
        .filter(path => !allowed.some(place => isWithin(path, place)))
        .map(path => `${file.path} imports ${path}, but ${folder} may import only ${allowed.join(', ')}`),
    )
  })
  nothing(wrong, 'What several of them need stands in testkit/.')
})

test('there are no circular imports among their files', () => {
  const files = ['server/src', ...FOLDERS].flatMap(filesOf)
  const cycle = findCycle(new Map(files.map(file => [file.path, importedFilesOf(file)])))
  assert.equal(cycle, undefined, `An import cycle: ${cycle?.join(' → ')}`)
})

test('a workspace names each package that it imports, and no other', () => {
  for (const folder of ['testkit', 'proof']) {
    const named = Object.keys(manifestOf(folder).devDependencies ?? {}).map(typedBy)
    // Our own packages stand in sources of consumers, which the testkit writes.
    // The programs of interop/ are copied by readers, and name their packages beside them.
    const files = filesOf(folder).filter(({ path }) => !path.startsWith('proof/interop/'))
    const others = files.flatMap(importedPackagesOf).filter(name => !/^node:|^@mintmark\/|\$/.test(name))
    const imported = new Set([...others, 'node'])
    assert.deepEqual(new Set(named), imported, `${folder}/package.json`)
  }
  const { dependencies = {}, devDependencies = {} } = manifestOf('server')
  const named = new Set([...Object.keys(dependencies), ...Object.keys(devDependencies).map(typedBy)])
  assert.deepEqual(
    named,
    new Set([...packagesOf('server/src', 'server/test', 'packages/client/src'), 'node']),
    'server/package.json',
  )
})

test('one package has one version in all manifests', () => {
  const versions = new Map<string, string>()
  for (const folder of [
    '.',
    'api',
    'console',
    'packages/client',
    'packages/gateway',
    'packages/verify',
    'server',
    'testkit',
    'proof',
    ...EXAMPLES,
  ]) {
    const { dependencies, devDependencies } = manifestOf(folder)
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      assert.equal(version, versions.get(name) ?? version, `${folder}/package.json: ${name}`)
      versions.set(name, version)
    }
  }
})

test('an example imports its own files and published packages alone, and its manifest names those', () => {
  const folders = new Set(filesOf('examples').map(({ path }) => path.split('/').slice(0, 2).join('/')))
  assert.deepEqual([...folders].toSorted(), EXAMPLES.toSorted(), 'Each folder of examples/ is a workspace.')
  for (const folder of EXAMPLES) {
    const files = filesOf(folder)
    const wrong = files.flatMap(file => importedFilesOf(file).filter(path => !isWithin(path, folder)))
    nothing(wrong, `${folder} is copied without the rest.`)
    const imported = files.flatMap(importedPackagesOf).filter(name => !name.startsWith('node:'))
    assert.deepEqual(new Set(Object.keys(manifestOf(folder).dependencies ?? {})), new Set(imported), folder)
    nothing(
      files.filter(({ text }) => !text.startsWith('// ')).map(({ path }) => path),
      'An example opens with a comment that says what it shows.',
    )
    assert.ok(isThere(`${folder}/README.md`), `${folder} has no README.md.`)
  }
})

/**
 * Folders that may have more, with the reason. A numbered series is read by number: a record is named by its own in other texts, the
 * next one is added at the end, and a subject for each would hide the order.
 */
const MAY_HAVE_MORE: Readonly<Record<string, RegExp>> = {
  'docs/decisions': /^\d{4}-[a-z0-9-]+\.md$/,
  'docs/decisions/archive': /^\d{4}-[a-z0-9-]+\.md$/,
}

/** What an installation or a command makes is no part of the tree. Files with a dot in front, which tools want at the root, are not listed. */
const IS_MADE = /^\.\/|(?:^|\/)(?:node_modules|dist)\/|^server\/(?:console|guide)\/|^proof\/mutation\/(?:once|report)/

test(`no folder has more than ${FOLDER_ENTRIES_MAX} entries, but for a numbered series`, () => {
  const entries = new Map<string, Set<string>>()
  for (const path of listPaths('.').filter(one => !IS_MADE.test(`${one}/`))) {
    const parts = path.split('/')
    for (let depth = 0; depth < parts.length; depth += 1) {
      const folder = parts.slice(0, depth).join('/') || '.'
      entries.set(folder, (entries.get(folder) ?? new Set()).add(parts[depth] ?? ''))
    }
  }
  const wrong = [...entries].flatMap(([folder, names]) => {
    const series = MAY_HAVE_MORE[folder]
    const counted = [...names].filter(name => series === undefined || !series.test(name))
    return counted.length > FOLDER_ENTRIES_MAX ? [`${folder}: ${counted.length}`] : []
  })
  nothing(wrong, 'Group its files by subject.')
  const gone = Object.keys(MAY_HAVE_MORE).filter(folder => !entries.has(folder))
  nothing(gone, 'It is exempt, and not there.')
})

test('check, test, test:process and test:browser run every file of tests, and none of them twice on one store', () => {
  const scripts = readText('package.json').match(/"(?:check:tidy|test|test:browser)": .*/g) ?? []
  const files = (glob: string) => readFiles(glob).map(({ path }) => path)
  const named = [...scripts.join('\n').matchAll(/\\"([^"]+)\\"/g)].flatMap(([, glob = '']) => files(glob))
  const inSuites = readFiles('server/test/suites/*.test.ts').flatMap(({ text }) =>
    [...text.matchAll(/'([\w/-]+)'/g)].flatMap(([, folder]) => files(`server/test/${folder}/*.test.ts`)),
  )
  const inProcesses = PROCESS_TESTS.flatMap(files)
  const run = [...new Set(named), ...inSuites, ...inProcesses]
  const globs = [
    'server/test/**/*.test.ts',
    'packages/*/test/**/*.test.ts',
    'console/test/**/*.test.ts',
    'proof/**/*.test.ts',
  ]
  assert.deepEqual(run.toSorted(), globs.flatMap(files).toSorted())
})

/** Readers, and the exchange that bounds every request, are written once: the build of a package copies what it imports into its own dist. */
const SHARED = ['packages/verify/src/readers/', 'packages/verify/src/wire/']

/** Of a package, by the part that imports: what it may import beside its own sources. */
const BESIDE_OWN: Readonly<Record<Part, readonly string[]>> = {
  src: SHARED,
  /** What writes a part of the sources. */
  '': ['api/'],
  test: ['api/', 'testkit/'],
}

/** The process beside a gateway is the verifier in a process, whose settings are read as those of the service. */
const [GATEWAY, VERIFY] = ['packages/gateway', 'packages/verify']
const BESIDE_GATEWAY = [`${VERIFY}/`, 'server/src/config/']

type Part = keyof typeof GLOBS

const GLOBS = { src: 'src/**/*.ts', '': '*.ts', test: 'test/**/*.ts' } as const

const PARTS = Object.keys(GLOBS) as readonly Part[]

/** Those that hold sources. */
const PUBLISHED = (
  JSON.parse(readText('package.json')) as { readonly workspaces: readonly string[] }
).workspaces.filter(folder => folder.startsWith('packages/') && isThere(`${folder}/src`))

const partOf = (folder: string, part: Part) => readFiles(`${folder}/${GLOBS[part]}`)

const importsOf = (folder: string, ...parts: readonly Part[]): ReadonlySet<string> =>
  new Set(
    parts
      .flatMap(part => partOf(folder, part))
      .flatMap(importedPackagesOf)
      // A test writes programs that use the package itself.
      .filter(name => !name.startsWith('node:') && name !== manifestOf(folder).name),
  )

test('a package imports nothing of the rest: its sources themselves and what is shared, its tests the testkit and the contract', () => {
  assert.ok(PUBLISHED.includes('packages/client'))
  const wrong = PUBLISHED.flatMap(folder =>
    PARTS.flatMap(part => {
      const files = partOf(folder, part)
      const own = part === 'src' ? `${folder}/src/` : `${folder}/`
      const allowed = [own, ...BESIDE_OWN[part], ...(folder === GATEWAY ? BESIDE_GATEWAY : [])]
      return files.flatMap(file =>
        importedFilesOf(file)
          .filter(path => !allowed.some(place => path.startsWith(place)))
          .map(path => `${file.path} imports ${path}, but may import only ${allowed.join(', ')}`),
      )
    }),
  )
  nothing(wrong, 'What it needs of the contract is generated from api/.')
})

test('there are no circular imports among the sources of a package', () => {
  const files = PUBLISHED.flatMap(folder => PARTS.flatMap(part => partOf(folder, part)))
  const cycle = findCycle(new Map(files.map(file => [file.path, importedFilesOf(file)])))
  assert.equal(cycle, undefined, `An import cycle: ${cycle?.join(' → ')}`)
})

/** What programs import. */
const LIBRARIES = PUBLISHED.filter(folder => folder !== GATEWAY)

test('the sources of a library import no module of Node and name none of its globals: they run in a worker too', () => {
  const sources = LIBRARIES.flatMap(folder => partOf(folder, 'src'))
  const modules = sources.flatMap(file =>
    importedPackagesOf(file)
      .filter(name => name.startsWith('node:'))
      .map(name => `${file.path} imports ${name}`),
  )
  nothing(modules, 'Load it where it is needed, as packages/client/src/wire/text-file.ts does.')
  nothing(findIn(sources, /\b(?:process|Buffer|require)\b[.(][\w'.]|\bNodeJS\./), 'There is none in a worker.')
})

test('the manifest of a package names what its sources import, and for its tests what they import', () => {
  for (const folder of PUBLISHED) {
    const { dependencies = {}, devDependencies = {} } = manifestOf(folder)
    // What the gateway process uses of the verifier is built into it.
    const needed = new Set([...importsOf(folder, 'src'), ...(folder === GATEWAY ? importsOf(VERIFY, 'src') : [])])
    assert.deepEqual(new Set(Object.keys(dependencies)), needed, `${folder}/package.json: dependencies`)
    const others = [...importsOf(folder, '', 'test')].filter(name => !needed.has(name))
    const named = new Set(Object.keys(devDependencies))
    assert.deepEqual(named, new Set([...others, '@types/node']), `${folder}/package.json: devDependencies`)
  }
})

test('a package has a license and a page of its own, and a library a build that knows no types of Node', () => {
  for (const folder of PUBLISHED) {
    assert.equal(readText(`${folder}/LICENSE`), readText('LICENSE'), folder)
    const { name, license } = manifestOf(folder)
    assert.equal(license, 'Apache-2.0', folder)
    assert.ok(readText(`${folder}/README.md`).startsWith(`# ${name}\n`), folder)
    if (folder === GATEWAY) continue
    const { compilerOptions } = JSON.parse(readText(`${folder}/tsconfig.build.json`)) as Record<string, object>
    assert.deepEqual(compilerOptions && 'types' in compilerOptions ? compilerOptions.types : undefined, [], folder)
  }
})
