// The published package: what a release makes of it, installed where only its dependencies are, runs. And what else a dry run makes.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test, type TestContext } from 'node:test'
import {
  environment,
  freePorts,
  KEY,
  serveVariables,
  start,
  type Variables,
} from '../../../../testkit/commands/run-mintmark.ts'

const server = join(import.meta.dirname, '../../..')
const root = join(server, '..')
const modules = join(root, 'node_modules')
const folder = mkdtempSync(join(tmpdir(), 'mintmark-package-'))
const installed = join(folder, 'node_modules', 'mintmark')
const released = join(folder, 'release')
const { version } = JSON.parse(readFileSync(join(server, 'package.json'), 'utf8')) as { readonly version: string }
let printed: string

const run = (file: string, args: readonly string[], variables: Variables = {}): string =>
  execFileSync(file, args, { cwd: folder, encoding: 'utf8', env: environment(variables), stdio: 'pipe' })

const program = join(installed, 'bin', 'mintmark.js')
const OWN_STORE: Variables = { MINTMARK_DATA_DIR: folder, MINTMARK_KEY_ENCRYPTION_KEY: KEY }

const mintmark = (...args: readonly string[]): string => run(process.execPath, [program, ...args], OWN_STORE)

// Linking what is installed here stands for the registry: the test is of our files, not of the network.
const linkDependencies = (): void => {
  for (const name of readdirSync(modules)) {
    if (name !== 'mintmark' && !name.startsWith('.'))
      symlinkSync(join(modules, name), join(folder, 'node_modules', name))
  }
}

const assertReleased = (): void => {
  const names = readdirSync(released).filter(name => name !== 'SHA256SUMS')
  const sums = readFileSync(join(released, 'SHA256SUMS'), 'utf8').trimEnd().split('\n')
  assert.deepEqual(sums.map(line => line.slice(66)).toSorted(), names.toSorted())
  for (const name of [
    `mintmark-${version}.tgz`,
    `mintmark-verify-${version}.tgz`,
    `mintmark-${version}-sbom.cdx.json`,
  ]) {
    const digest = createHash('sha256')
      .update(readFileSync(join(released, name)))
      .digest('hex')
    assert.ok(sums.includes(`${digest}  ${name}`), name)
  }
  assert.match(printed, /^debian: (?:not built in a dry run|skipped, dpkg-deb is missing)$/m)
}

const assertRefusedFirst = (): void => {
  const output = join(folder, 'refused')
  const args = [join(root, 'deploy/release/main.ts'), '--dry-run', '--output', output]
  for (const name of ['nonsense', 'constructor']) {
    assert.throws(() => run(process.execPath, [...args, '--only', 'sbom', '--only', name]), {
      stderr: new RegExp(`^release: there is no part ${name}; expected mintmark, client`),
    })
  }
  assert.ok(!existsSync(output))
}

/** Of the project that the package is installed in, which may have such folders too. */
const makeFoldersOfOthers = (): void => {
  for (const name of ['console', 'guide']) {
    mkdirSync(join(folder, name, 'assets'), { recursive: true })
    writeFileSync(join(folder, name, 'index.html'), 'of others')
  }
}

const servesConsole = async (t: TestContext): Promise<void> => {
  makeFoldersOfOthers()
  mintmark('migrate')
  const [port] = await freePorts()
  const variables = { ...serveVariables(port), ...OWN_STORE, MINTMARK_DRAIN_SECONDS: '0' }
  await start(t, folder, { program, args: ['serve'], variables, ready: /another audience\.\n/ })
  const get = (path: string) => fetch(`http://127.0.0.1:${port}/console/${path}`)
  const page = await (await get('')).text()
  assert.match(page, /<title>Mintmark/)
  const assets = [...page.matchAll(/(assets\/[^"]+)"/g)].map(([, path = '']) => path)
  assert.ok(assets.length >= 2)
  for (const path of assets) assert.equal((await get(path)).status, 200, path)
  assert.doesNotMatch(await (await get('../docs/guide/')).text(), /of others/)
}

/** Each chunk names before a piece of it the source that it was. */
const SOURCE = /^\/\/ (?:#region )?(\S+\.(?:json|ts))$/gm

const isBuiltOfWhatIsWatched = (): void => {
  const [, list = ''] =
    /into: 'server\/dist',\s+from: \[(.*?)\]/s.exec(readFileSync(join(root, 'setup.mjs'), 'utf8')) ?? []
  const watched = [...list.matchAll(/'([^']+)'/g)].map(([, path = '']) => path)
  const chunks = readdirSync(join(installed, 'dist')).map(name => readFileSync(join(installed, 'dist', name), 'utf8'))
  const sources = chunks.flatMap(chunk => [...chunk.matchAll(SOURCE)].map(([, path = '']) => path))
  assert.ok(sources.length > 300)
  assert.deepEqual(
    sources.filter(source => !watched.some(path => source === path || source.startsWith(`${path}/`))),
    [],
  )
}

suite('the published package', () => {
  before(() => {
    mkdirSync(installed, { recursive: true })
    linkDependencies()
    // @mintmark/client is packed by the test of that package.
    const only = ['mintmark', 'verify', 'sbom', 'chart', 'debian'].flatMap(part => ['--only', part])
    const args = ['run', '--silent', 'release', '--', '--dry-run', '--output', released, ...only]
    printed = execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' })
    run('tar', ['-xzf', join(released, `mintmark-${version}.tgz`), '-C', installed, '--strip-components=1'])
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  test('comes with a checksum, as each file of a release does; a dry run says what it leaves out', assertReleased)

  test('is not begun where a part of the release that is named is unknown', assertRefusedFirst)

  test('holds built JavaScript and no TypeScript', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
    assert.deepEqual(
      files.filter(file => file.endsWith('.ts')),
      [],
    )
    for (const name of ['main', 'writer-thread', 'serving-thread', 'foreign-hash-thread'])
      assert.ok(files.includes(join('dist', `${name}.js`)), name)
  })

  test('is built of nothing but what setup.mjs looks at before it builds it anew', isBuiltOfWhatIsWatched)

  test('holds the console as it is built, and serves it', servesConsole)

  test('says under which license it comes, what it is, and where its sources are', () => {
    const read = (...path: readonly string[]): string => readFileSync(join(...path), 'utf8')
    assert.equal(read(installed, 'LICENSE'), read(root, 'LICENSE'))
    const readme = read(installed, 'README.md')
    assert.match(readme, /^# Mintmark\n/)
    // A page of a registry has no files beside it.
    assert.doesNotMatch(readme, /\]\((?!https:)/)
    const { license, repository } = JSON.parse(read(installed, 'package.json')) as Record<string, unknown>
    assert.equal(license, 'Apache-2.0')
    assert.deepEqual(Object.keys(repository as object), ['type', 'url', 'directory'])
  })

  test('prints its version', () => {
    assert.equal(mintmark('--version'), `${version}\n`)
  })

  test('gets tokens by the sources of @mintmark/client, which it holds', () => {
    const credentials = ['--client-id', 'packed', '--client-secret-file', join(folder, 'secret')]
    writeFileSync(join(folder, 'secret'), 'mmc_packed')
    assert.throws(
      () => mintmark('token', 'get', '--url', 'http://127.0.0.1:9', ...credentials),
      (error: { status: number; stderr: string }) => {
        assert.equal(error.status, 5, error.stderr)
        assert.match(error.stderr, /^mintmark: No token can be had: /)
        return true
      },
    )
  })

  test('makes a store, and an agent in it', () => {
    mintmark('migrate')
    const made = JSON.parse(mintmark('agent', 'create', '--name', 'packed', '--scope', 'db:read', '--json')) as object
    assert.deepEqual(Object.keys(made), ['agent_id', 'client_id', 'client_secret'])
  })
})
