// The published package: what `npm pack` makes, installed where only its dependencies are, runs.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'

const server = join(import.meta.dirname, '..')
const root = join(server, '..')
const modules = join(root, 'node_modules')
const folder = mkdtempSync(join(tmpdir(), 'mintmark-package-'))
const installed = join(folder, 'node_modules', 'mintmark')

const run = (file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string =>
  execFileSync(file, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, ...env }, stdio: 'pipe' })

const mintmark = (...args: readonly string[]): string =>
  run(process.execPath, [join(installed, 'bin', 'mintmark.js'), ...args], {
    MINTMARK_DATA_DIR: folder,
    MINTMARK_KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  })

// Linking what is installed here stands for the registry: the test is of our files, not of the network.
const linkDependencies = (): void => {
  for (const name of readdirSync(modules)) {
    if (name !== 'mintmark' && !name.startsWith('.'))
      symlinkSync(join(modules, name), join(folder, 'node_modules', name))
  }
}

suite('the published package', () => {
  before(() => {
    mkdirSync(installed, { recursive: true })
    linkDependencies()
    // As CONTRIBUTING.md says.
    const printed = execFileSync('npm', ['run', '--silent', 'pack', '--', '--json', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
      stdio: 'pipe',
    })
    const [packed] = JSON.parse(printed) as { filename: string }[]
    assert.ok(packed)
    run('tar', ['-xzf', join(folder, packed.filename), '-C', installed, '--strip-components=1'])
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  test('holds emitted JavaScript and no TypeScript', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
    assert.deepEqual(
      files.filter(file => file.endsWith('.ts')),
      [],
    )
    assert.ok(files.includes(join('dist', 'server', 'src', 'main.js')))
    assert.ok(files.includes(join('dist', 'server', 'src', 'store', 'sqlite', 'writer', 'writer-thread.js')))
  })

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

  test('tells its version', () => {
    const { version } = JSON.parse(readFileSync(join(server, 'package.json'), 'utf8')) as { version: string }
    assert.equal(mintmark('--version'), `${version}\n`)
  })

  test('makes a store, and an agent in it through its writing thread', () => {
    mintmark('migrate')
    const made = JSON.parse(mintmark('agent', 'create', '--name', 'packed', '--scope', 'db:read', '--json')) as object
    assert.deepEqual(Object.keys(made), ['agent_id', 'client_id', 'client_secret'])
  })
})
