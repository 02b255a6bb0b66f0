// Which packages of others are shipped: what the lock file installs for production, and what the bundles of the console and of the
// guide hold.
import { join } from 'node:path'
import { BUNDLED } from '../../site/bundled.ts'
import { importedPackagesOf, readFiles, readText } from '../../testkit/sources/source-files.ts'

/** An entry of package-lock.json, version 3. */
type Locked = {
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export type Lock = Readonly<Record<string, Locked>>

export type Shipped = {
  /** Where the lock file installs it, from the top of the repository: `node_modules/NAME`. */
  readonly path: string
  readonly name: string
  readonly version: string
  /** An SPDX expression; undefined where its manifest names none. */
  readonly license: string | undefined
  /** Subresource integrity of its tarball. */
  readonly integrity: string | undefined
  /** Paths of what it depends on. */
  readonly needs: readonly string[]
}

const MODULES = 'node_modules/'

const SITE = 'site'

const packagesOf = (lockFile: string): Lock => (JSON.parse(readText(lockFile)) as { readonly packages: Lock }).packages

/** The site has a lock file of its own; here its paths are from the top of the repository too. */
export const readLock = (): Lock => ({
  ...packagesOf('package-lock.json'),
  ...Object.fromEntries(
    Object.entries(packagesOf(`${SITE}/package-lock.json`)).map(([path, entry]) => [join(SITE, path), entry]),
  ),
})

const foldersAbove = (path: string): readonly string[] => {
  const parts = path.split('/')
  return parts.map((_, n) => parts.slice(0, parts.length - n).join('/')).concat('')
}

/** Where Node finds a package for an importer: beside it or beside a folder above it. */
const resolvePackage = (lock: Lock, importer: string, name: string): string | undefined =>
  foldersAbove(importer)
    .filter(folder => !folder.endsWith('node_modules'))
    .map(folder => `${folder === '' ? '' : `${folder}/`}${MODULES}${name}`)
    .find(path => lock[path] !== undefined)

/** Optional ones that the lock file leaves out are of other platforms. */
const needsOf = (lock: Lock, path: string, names: readonly string[]): readonly string[] =>
  names.flatMap(name => {
    const found = resolvePackage(lock, path, name)
    if (found !== undefined) return [found]
    if (lock[path]?.dependencies?.[name] !== undefined) throw new Error(`The lock file lacks ${name}, of ${path}.`)
    return []
  })

const namesIn = ({ dependencies, optionalDependencies }: Locked): readonly string[] =>
  Object.keys({ ...dependencies, ...optionalDependencies })

const shippedAt = (lock: Lock, path: string, entry: Locked): Shipped => {
  const { version = '', license, integrity } = entry
  const name = path.slice(path.lastIndexOf(MODULES) + MODULES.length)
  return { path, name, version, license, integrity, needs: needsOf(lock, path, namesIn(entry)) }
}

/** Everything that these packages of an importer bring, each once, by path. */
const follow = (lock: Lock, importer: string, names: readonly string[]): readonly Shipped[] => {
  const found = new Map<string, Shipped>()
  const visit = (path: string): void => {
    const entry = lock[path]
    if (entry === undefined || entry.link === true || found.has(path)) return
    const shipped = shippedAt(lock, path, entry)
    found.set(path, shipped)
    shipped.needs.forEach(visit)
  }
  needsOf(lock, importer, names).forEach(visit)
  return [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** What a workspace needs when it is installed. */
export const dependenciesOf = (lock: Lock, workspace: string): readonly Shipped[] =>
  follow(lock, workspace, namesIn(lock[workspace] ?? {}))

/** What the console's bundle holds: what its sources import. */
export const bundledInConsole = (lock: Lock): readonly Shipped[] =>
  follow(lock, 'console', [
    ...new Set(
      readFiles('console/src/**/*.{ts,tsx}')
        .flatMap(importedPackagesOf)
        .filter(name => !/^node:|\$/.test(name)),
    ),
  ])

/** What the guide's bundle holds. Not what that needs as well: most of VitePress only builds. */
export const bundledInGuide = (lock: Lock): readonly Shipped[] =>
  needsOf(lock, SITE, BUNDLED).map(path => shippedAt(lock, path, lock[path] ?? {}))
