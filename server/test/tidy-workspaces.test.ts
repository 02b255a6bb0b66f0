// The house rules of the workspaces: what each may import, the packages that its manifest names, and the size of folders.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  findCircle,
  importedFilesOf,
  importedPackagesOf,
  listPaths,
  nothing,
  readFiles,
  readText,
} from '../../testkit/sources/source-files.ts'

/** What a folder may import beside itself. Tests and drills use the testkit, never each other. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'server/test': ['server/src', 'server/package.json', 'api', 'testkit', 'interop', 'docs'],
  testkit: ['server/src', 'api'],
  bench: ['server/src', 'api', 'testkit'],
  drills: ['server/src', 'api', 'testkit'],
}
const FOLDERS = Object.keys(MAY_IMPORT)
const FOLDER_ENTRIES_MAX = 30

type Manifest = Readonly<Partial<Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>>>

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

test('tests, testkit, bench and drills import only what they stand on', () => {
  const wrong = FOLDERS.flatMap(folder => {
    const files = filesOf(folder)
    assert.ok(files.length > 10, `${folder} holds next to no files.`)
    const allowed = [folder, ...(MAY_IMPORT[folder] ?? [])]
    return files.flatMap(file =>
      importedFilesOf(file)
        .filter(path => !allowed.some(place => isWithin(path, place)))
        .map(path => `${file.path} imports ${path}, but ${folder} may import only ${allowed.join(', ')}`),
    )
  })
  nothing(wrong, 'What several of them need stands in testkit/.')
})

test('no files of theirs import one another in a circle', () => {
  const files = ['server/src', ...FOLDERS].flatMap(filesOf)
  const circle = findCircle(new Map(files.map(file => [file.path, importedFilesOf(file)])))
  assert.equal(circle, undefined, `A circle of imports: ${circle?.join(' → ')}`)
})

test('a workspace names each package that it imports, and no other', () => {
  for (const folder of ['testkit', 'bench', 'drills']) {
    const named = Object.keys(manifestOf(folder).devDependencies ?? {}).map(typedBy)
    const imported = new Set([...packagesOf(folder), 'node'])
    assert.deepEqual(new Set(named), imported, `${folder}/package.json`)
  }
  const { dependencies = {}, devDependencies = {} } = manifestOf('server')
  const named = new Set([...Object.keys(dependencies), ...Object.keys(devDependencies).map(typedBy)])
  assert.deepEqual(named, new Set([...packagesOf('server/src', 'server/test'), 'node']), 'server/package.json')
})

test('one package has one version in all manifests', () => {
  const versions = new Map<string, string>()
  for (const folder of ['.', 'api', 'server', 'testkit', 'bench', 'drills']) {
    const { dependencies, devDependencies } = manifestOf(folder)
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      assert.equal(version, versions.get(name) ?? version, `${folder}/package.json: ${name}`)
      versions.set(name, version)
    }
  }
})

test(`no folder has more than ${FOLDER_ENTRIES_MAX} entries`, () => {
  const entries = new Map<string, Set<string>>()
  for (const path of [...FOLDERS, 'api', 'server/src'].flatMap(listPaths)) {
    const parts = path.split('/')
    for (let depth = 1; depth < parts.length; depth += 1) {
      const folder = parts.slice(0, depth).join('/')
      entries.set(folder, (entries.get(folder) ?? new Set()).add(parts[depth] ?? ''))
    }
  }
  const full = [...entries].filter(([, { size }]) => size > FOLDER_ENTRIES_MAX)
  nothing(
    full.map(([folder, { size }]) => `${folder}: ${size}`),
    'Group its files by subject.',
  )
})

test('npm test runs every file of tests, and none of them twice on one store', () => {
  const [script = ''] = /"test": .*/.exec(readText('package.json')) ?? []
  const files = (glob: string) => readFiles(glob).map(({ path }) => path)
  const named = [...script.matchAll(/\\"([^"]+)\\"/g)].flatMap(([, glob = '']) => files(glob))
  const inSuites = readFiles('server/test/suites/*.test.ts').flatMap(({ text }) =>
    [...text.matchAll(/'([\w/-]+)'/g)].flatMap(([, folder]) => files(`server/test/${folder}/*.test.ts`)),
  )
  const run = [...named, ...inSuites]
  assert.deepEqual(run.toSorted(), [...files('server/test/**/*.test.ts'), ...files('drills/test/*.test.ts')].toSorted())
})
