// Threads and the console are read from files, so the single executable unpacks the program into a folder of this user, once for
// each build.
import { randomUUID } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'

export type Build = {
  /** The name of its folder, which differs for each build. */
  readonly name: string
  readonly files: readonly (readonly [path: string, size: number])[]
  /** Returns the contents of the files, one after another. */
  readonly readContent: () => Uint8Array
}

export type Surroundings = {
  readonly env: NodeJS.ProcessEnv
  /** The home of the user; undefined where there is none. */
  readonly home: string | undefined
  /** The folder for temporary files. */
  readonly temporary: string
}

/** A folder that is there, and the names of those that are made below it. */
type Place = readonly [start: string, ...names: string[]]

const WRITABLE_BY_OTHERS = 0o022
const STICKY = 0o1000
const PRIVATE_FOLDER = 0o700
const PRIVATE_FILE = 0o600
const PARTIAL = '.partial'
/** A build's name, a random one, and the ending. */
const PARTIAL_NAME = /^program-.+\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.partial$/
/** After it a folder that is not finished was left by a process that was killed. */
const ABANDONED_MS = 3_600_000

const codeOf = (fault: unknown): string | undefined => (fault as NodeJS.ErrnoException).code

const uidOfUser = (): number => process.getuid?.() ?? 0

/** Of this user or of root, whatever its number is in a user namespace. */
const isTrusted = ({ uid }: Stats): boolean => uid === uidOfUser() || uid === statSync('/').uid

/**
 * Refuses a folder in which another user could replace what stands there, for they would decide what runs. Returns whether others
 * may add to it, as to /tmp.
 */
const checkParent = (folder: string): boolean => {
  const stats = statSync(folder)
  const isShared = (stats.mode & WRITABLE_BY_OTHERS) !== 0
  if (!isTrusted(stats)) throw new Error(`${folder} is of another user`)
  if (isShared && (stats.mode & STICKY) === 0) throw new Error(`other users may write to ${folder}`)
  return isShared
}

/**
 * Where a path leads, without links. Each folder on the way is checked, also that of a link and those that the link leads through: who
 * can replace one of them decides as well.
 */
const follow = (path: string): string => {
  if (path === dirname(path)) return path
  const above = follow(dirname(path))
  const isShared = checkParent(above)
  const place = join(above, basename(path))
  const stats = lstatSync(place)
  if (!stats.isSymbolicLink()) return place
  if (isShared && !isTrusted(stats)) throw new Error(`${place} is a link of another user`)
  return follow(resolve(above, readlinkSync(place)))
}

const checkOwn = (folder: string, stats: Stats): void => {
  if (!stats.isDirectory()) throw new Error(`${folder} is not a folder`)
  if (stats.uid !== uidOfUser()) throw new Error(`${folder} is of another user`)
  if ((stats.mode & WRITABLE_BY_OTHERS) !== 0) throw new Error(`other users may write to ${folder}`)
}

/** One level at a time: in a file system that takes no folders, as /proc, a recursive mkdir does not end. */
const makeOwn = (folder: string): string => {
  const isShared = checkParent(dirname(folder))
  try {
    mkdirSync(folder, { mode: PRIVATE_FOLDER })
  } catch (fault) {
    if (codeOf(fault) !== 'EEXIST') throw fault
  }
  // In a shared folder the name may be a link that another user made.
  const place = isShared ? folder : follow(folder)
  checkOwn(place, lstatSync(place))
  return place
}

/** Best first: of the service manager (systemd's `CacheDirectory`), of the user, of the machine. */
const placesOf = ({ env, home, temporary }: Surroundings): readonly Place[] => {
  const places: readonly (readonly [string | undefined, ...string[]])[] = [
    [env['CACHE_DIRECTORY']?.split(':')[0]],
    [env['XDG_CACHE_HOME'], 'mintmark'],
    [home, '.cache', 'mintmark'],
    [temporary, `mintmark-${uidOfUser()}`],
  ]
  return places.filter((place): place is Place => place[0] !== undefined && isAbsolute(place[0]))
}

/** By size: after a power cut a file may be there without its content. */
const isWhole = (folder: string, files: Build['files']): boolean =>
  files.every(([path, size]) => statSync(join(folder, path), { throwIfNoEntry: false })?.size === size)

const isAbandoned = (folder: string): boolean => {
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  return stats?.uid === uidOfUser() && Date.now() - stats.mtimeMs > ABANDONED_MS
}

/** Of any build. Nothing else is touched: `CACHE_DIRECTORY` may be that of another program which started this one. */
const removeAbandoned = (base: string): void =>
  readdirSync(base)
    .filter(name => PARTIAL_NAME.test(name))
    .map(name => join(base, name))
    .filter(isAbandoned)
    .forEach(folder => rmSync(folder, { recursive: true, force: true }))

const writeFiles = (folder: string, { files, readContent }: Build): void => {
  const content = readContent()
  let from = 0
  for (const [path, size] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: PRIVATE_FOLDER })
    writeFileSync(join(folder, path), content.subarray(from, from + size), { mode: PRIVATE_FILE })
    from += size
  }
}

/** The folder appears whole or not at all. Where two processes unpack at once, both run what the first one finished. */
const putInPlace = (partial: string, folder: string, files: Build['files']): void => {
  try {
    renameSync(partial, folder)
  } catch (fault) {
    if (!['EEXIST', 'ENOTEMPTY'].includes(codeOf(fault) ?? '')) throw fault
    if (isWhole(folder, files)) return
    // Moved aside, not removed: a process may run what is left of it. It is old from now on, not since it was unpacked.
    utimesSync(folder, new Date(), new Date())
    renameSync(folder, `${folder}.${randomUUID()}${PARTIAL}`)
    renameSync(partial, folder)
  }
}

const unpackBelow = ([start, ...names]: Place, build: Build): string => {
  // First by the system, which ends where links lead to each other.
  realpathSync(start)
  const base = names.reduce((above, name) => makeOwn(join(above, name)), follow(resolve(start)))
  const folder = join(base, build.name)
  if (isWhole(folder, build.files)) return makeOwn(folder)
  removeAbandoned(base)
  const partial = makeOwn(`${folder}.${randomUUID()}${PARTIAL}`)
  try {
    writeFiles(partial, build)
    putInPlace(partial, folder, build.files)
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
  return folder
}

/** Returns the folder of the build in the first place that serves. Throws an error that names the places tried, and why each did not. */
export const unpack = (build: Build, surroundings: Surroundings): string => {
  const reasons: string[] = []
  for (const place of placesOf(surroundings)) {
    try {
      return unpackBelow(place, build)
    } catch (fault) {
      reasons.push(`  ${join(...place)}: ${(fault as Error).message}`)
    }
  }
  const megabytes = Math.ceil(build.files.reduce((sum, [, size]) => sum + size, 0) / 1e6)
  throw new Error(
    `mintmark could not unpack its program, for which it needs a folder with ${megabytes} MB that only this user writes to. Tried:\n` +
      `${reasons.join('\n')}\nSet XDG_CACHE_HOME to such a folder.`,
  )
}
