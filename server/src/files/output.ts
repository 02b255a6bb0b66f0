// Where a command writes: a plain file, which is there whole or not at all, or what is written to as it is, as a pipe.
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
  type Stats,
} from 'node:fs'
import { dirname, resolve } from 'node:path'

/** A place that cannot be written, with what to do about it, for a person. */
export class OutputRefused extends Error {
  override readonly name = 'OutputRefused'
}

/** `path` is behind all links, which stay. A descriptor is one of this process, as `>(gzip)` of a shell passes it. */
export type Output =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stream'; readonly path: string }
  | { readonly kind: 'descriptor'; readonly descriptor: number }

/** The most symbolic links that Linux follows in a path (MAXSYMLINKS). */
const LINKS_MAX = 40

const OF_STREAM: Readonly<Record<string, number>> = { '/dev/stdout': 1, '/dev/stderr': 2 }

// These are links too, but a pipe has no other name, and a file that was opened to append to would be opened at its beginning.
const descriptorOf = (path: string): number | undefined => {
  const [, digits] = /^\/(?:dev|proc\/self)\/fd\/(\d{1,9})$/.exec(path) ?? []
  return digits === undefined ? OF_STREAM[path] : Number(digits)
}

/** The path behind all links, whether a file is there or not: `realpath` knows only files that are there. */
export const followLinks = (path: string): string => {
  let at = resolve(path)
  for (let n = 0; n < LINKS_MAX; n += 1) {
    if (descriptorOf(at) !== undefined || lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return at
    at = resolve(realpathSync(dirname(at)), readlinkSync(at))
  }
  throw new OutputRefused(`${path} is a symbolic link that leads to itself: name a file.`)
}

const refuseFolderAt = (path: string, found: Stats): void => {
  if (found.isDirectory()) throw new OutputRefused(`${path} is a folder: name a file in it.`)
}

/** What SQLite keeps beside a store while a process has it open: to the end of that process. */
const BESIDE_STORE = ['-wal', '-shm']

/** Who has the store open would go on writing to a file that nobody finds any more. Looked at by name: opening it would drop locks. */
const refuseStore = (given: string, path: string): void => {
  const store = path.replace(/-(?:wal|shm|serving|moving)$/, '')
  if (!BESIDE_STORE.some(ending => existsSync(`${store}${ending}`))) return
  throw new OutputRefused(`${given} is a file of a store that is in use: name another.`)
}

const refuseKind = (path: string, found: Stats): void => {
  refuseFolderAt(path, found)
  if (found.isSocket()) throw new OutputRefused(`${path} is a socket: name a file or a pipe.`)
}

/** A socket that is open is written to, as the standard output of a command that runs by SSH. */
const openedAs = (path: string, descriptor: number): Output => {
  try {
    refuseFolderAt(path, fstatSync(descriptor))
    return { kind: 'descriptor', descriptor }
  } catch (fault) {
    if (fault instanceof OutputRefused) throw fault
    throw new OutputRefused(`${path} is not open in this process: name a file.`)
  }
}

const refuseFolder = (folder: string): void => {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found === undefined) throw new OutputRefused(`The folder ${folder} does not exist: make it first.`)
  if (!found.isDirectory()) throw new OutputRefused(`${folder} is no folder: name a file in one.`)
}

/** Looks at what is there and changes nothing. Throws OutputRefused with one line for a person. */
export const findOutput = (given: string): Output => {
  // What a user means as a folder is never made as a file.
  if (given === '' || given.endsWith('/')) throw new OutputRefused(`${JSON.stringify(given)} names no file: name one.`)
  try {
    const path = followLinks(given)
    const descriptor = descriptorOf(path)
    if (descriptor !== undefined) return openedAs(given, descriptor)
    refuseFolder(dirname(path))
    refuseStore(given, path)
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined || found.isFile()) return { kind: 'file', path }
    refuseKind(given, found)
    return { kind: 'stream', path }
  } catch (fault) {
    if (fault instanceof OutputRefused || !(fault instanceof Error)) throw fault
    throw new OutputRefused(`${given} cannot be written: ${fault.message}`)
  }
}

/** Whether it is the standard output of this process, which then has room for nothing else. */
export const isStandardOutput = (given: string): boolean => descriptorOf(followLinks(given)) === 1

/** A new path for the file while it is incomplete. It has no process id: in a container each command is process 1. */
export const partOf = (path: string): string => `${path}.${randomBytes(6).toString('hex')}.part`

/** Makes an empty file that nobody else can read. */
export const makePrivateFile = (path: string): void => closeSync(openSync(path, 'wx', 0o600))
