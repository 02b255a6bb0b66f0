// deploy/release: what is shipped is listed whole, and is under licenses that are allowed.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { refusedLicenses } from '../../../deploy/release/licenses.ts'
import { readRelease } from '../../../deploy/release/parts.ts'
import { bundledInConsole, dependenciesOf, type Lock, readLock } from '../../../deploy/release/shipped.ts'
import { readText, REPOSITORY } from '../../../testkit/sources/source-files.ts'

type Manifest = {
  readonly version: string
  readonly publishConfig: object
  readonly dependencies: Record<string, string>
}
type Sbom = {
  readonly components: readonly {
    readonly purl: string
    readonly licenses: readonly object[]
    readonly hashes: readonly object[]
  }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

const readManifest = (workspace: string) => JSON.parse(readText(`${workspace}/package.json`)) as Manifest

const PUBLISHED = ['server', 'packages/client', 'packages/verify', 'packages/gateway']

test('everything that is shipped is under a license of the list', () => {
  assert.deepEqual(refusedLicenses(readRelease('.').shipped), [])
})

test('a release packs the service once, whatever lies in its folder', () => {
  const packed: string[] = []
  const { packService } = readRelease('dist', (workspace, folder) => {
    packed.push(workspace, folder)
    return 'mintmark-0.1.0.tgz'
  })
  assert.deepEqual([packService(), packService()], ['dist/mintmark-0.1.0.tgz', 'dist/mintmark-0.1.0.tgz'])
  assert.deepEqual(packed, ['server', 'dist'])
})

test('a release is refused at once where its folder cannot be made, or takes no files', () => {
  const main = join(REPOSITORY, 'deploy/release/main.ts')
  for (const folder of ['/proc/x', '/proc/x/y', '/proc', join(main, 'x'), main]) {
    const args = [main, '--dry-run', '--only', 'sbom', '--output', folder]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { timeout: 10_000, encoding: 'utf8' })
    assert.deepEqual([status, stdout], [1, ''], folder)
    assert.match(stderr, /^release: --output: \S+ takes no files: E[A-Z]+: .+\n$/)
    assert.ok(stderr.includes(folder))
  }
})

test('a license that is not on the list is named with its package, and so is a missing one; one of several suffices', () => {
  const packageUnder = (license: string | undefined) => ({
    path: 'node_modules/x',
    name: 'x',
    version: '1.0.0',
    license,
    integrity: undefined,
    needs: [],
  })
  const licenses = ['MIT', '(MIT OR GPL-3.0-only)', 'GPL-3.0-only', 'MIT AND GPL-3.0-only', 'UNLICENSED', undefined]
  assert.deepEqual(refusedLicenses(licenses.map(packageUnder)), [
    'x@1.0.0: GPL-3.0-only',
    'x@1.0.0: MIT AND GPL-3.0-only',
    'x@1.0.0: UNLICENSED',
    'x@1.0.0: no license',
  ])
})

test('what a package needs is found where Node finds it, nested before hoisted', () => {
  const lock: Lock = {
    server: { dependencies: { a: '1', b: '1' } },
    'node_modules/a': { version: '1.0.0', dependencies: { b: '2' }, optionalDependencies: { other: '1' } },
    'node_modules/a/node_modules/b': { version: '2.0.0' },
    'node_modules/b': { version: '1.0.0' },
    'node_modules/unused': { version: '1.0.0' },
  }
  assert.deepEqual(
    dependenciesOf(lock, 'server').map(({ path, needs }) => [path, needs]),
    [
      ['node_modules/a', ['node_modules/a/node_modules/b']],
      ['node_modules/a/node_modules/b', []],
      ['node_modules/b', []],
    ],
  )
  assert.throws(() => dependenciesOf({ server: { dependencies: { a: '1' } } }, 'server'), /lacks a, of server/)
})

test('the bill of materials has what the service installs and what the console and the guide bundle, each with its version, license and checksum', () => {
  const { sbom, version } = readRelease('.')
  const { components, dependencies } = JSON.parse(sbom) as Sbom
  const purls = new Set(components.map(({ purl }) => purl))
  assert.equal(purls.size, components.length)
  for (const [name, one] of Object.entries(readManifest('server').dependencies))
    assert.ok(purls.has(`pkg:npm/${name.replace('@', '%40')}@${one}`), name)
  assert.ok(bundledInConsole(readLock()).some(({ name }) => name === 'react-dom'))
  assert.ok([...purls].some(purl => purl.startsWith('pkg:npm/react-dom@')))
  for (const name of ['vitepress', 'minisearch', '%40vue/runtime-dom'])
    assert.ok(
      [...purls].some(purl => purl.startsWith(`pkg:npm/${name}@`)),
      name,
    )
  assert.ok(![...purls].some(purl => /typescript|esbuild|vite@|oxlint|fast-check/.test(purl)))
  for (const { purl, licenses, hashes } of components) assert.ok(licenses.length > 0 && hashes.length > 0, purl)
  const refs = new Set([`pkg:npm/mintmark@${version}`, ...purls])
  for (const { ref, dependsOn } of dependencies)
    for (const one of [ref, ...dependsOn]) assert.ok(refs.has(one), `${ref}: ${one}`)
  assert.equal(readRelease('.').sbom, sbom, 'Two builds of one commit are equal.')
})

test('what npm publishes has one version, and says that npm shall attest where it was built', () => {
  const manifests = PUBLISHED.map(readManifest)
  assert.equal(new Set(manifests.map(({ version }) => version)).size, 1)
  for (const { publishConfig } of manifests) assert.deepEqual(publishConfig, { access: 'public', provenance: true })
})
