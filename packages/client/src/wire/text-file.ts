// Small files with a secret, read anew each time, so that a replaced file needs no restart.

import { untilAborted } from '../../../verify/src/wire/deadline.ts'

const FILE_BYTES_MAX = 65_536
/** A disk that hangs, and a pipe whose writer does, are given up then. */
export const FILE_MS_MAX = 5000
/** The time between two looks whether somebody has written into a pipe. */
const PIPE_POLL_MS = 20

type Handle = {
  readonly read: (into: Uint8Array, at: number, length: number, from: null) => Promise<{ readonly bytesRead: number }>
  readonly stat: () => Promise<{ readonly isFIFO: () => boolean }>
  readonly close: () => Promise<void>
}

/** What is needed of node:fs/promises, without the types of Node, which a worker does not have. */
type FileSystem = {
  readonly open: (path: string, flags: number) => Promise<Handle>
  /** Windows has no O_NONBLOCK. */
  readonly constants: { readonly O_RDONLY: number; readonly O_NONBLOCK?: number }
}

/** Why a file gave no secret. The message names the file, and nothing of what it holds. */
export class FileFault extends Error {
  override readonly name = 'FileFault'
}

/** Loaded only where a file is configured: a worker without files never asks for it, and no bundler looks for it. */
const loadFileSystem = async (): Promise<FileSystem> => {
  const module = 'node:fs/promises'
  return (await import(module)) as FileSystem
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'

/** Returns the number of bytes read, 0 at the end; undefined if a pipe is empty for now. */
const readSome = async (handle: Handle, bytes: Uint8Array, filled: number): Promise<number | undefined> => {
  try {
    return (await handle.read(bytes, filled, bytes.byteLength - filled, null)).bytesRead
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return undefined
    throw error
  }
}

const readBytes = async (handle: Handle, signal: AbortSignal): Promise<Uint8Array> => {
  const isPipe = (await handle.stat()).isFIFO()
  const bytes = new Uint8Array(FILE_BYTES_MAX + 1)
  let filled = 0
  for (;;) {
    signal.throwIfAborted()
    const count = await readSome(handle, bytes, filled)
    filled += count ?? 0
    // A pipe that nobody has opened yet looks like one that has ended.
    const isEmptyYet = count === undefined || (count === 0 && filled === 0 && isPipe)
    if (isEmptyYet) await new Promise(resolve => setTimeout(resolve, PIPE_POLL_MS))
    else if (count === 0 || filled === bytes.byteLength) return bytes.subarray(0, filled)
  }
}

const readWhole = async (path: string, signal: AbortSignal): Promise<Uint8Array> => {
  const { open, constants } = await loadFileSystem()
  // Without O_NONBLOCK to open a pipe waits for a writer, and keeps a thread of the process meanwhile.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    return await readBytes(handle, signal)
  } finally {
    await handle.close()
  }
}

/** The reads under way, by path. A disk that hangs occupies a thread of the process, so each file is read once at a time. */
const underWay = new Map<string, Promise<Uint8Array>>()

const read = (path: string, signal: AbortSignal): Promise<Uint8Array> => {
  const other = underWay.get(path)
  if (other !== undefined) return other
  const reading = readWhole(path, signal).finally(() => underWay.delete(path))
  underWay.set(path, reading)
  return reading
}

const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim()
  } catch {
    return undefined
  }
}

/** Its text without the space around it. Throws a FileFault where there is none within this time, or more than 64 KiB. */
export const readTextFile = async (path: string, timeoutMs = FILE_MS_MAX): Promise<string> => {
  const fault = (why: string): FileFault => new FileFault(`the file ${JSON.stringify(path)} ${why}`)
  const signal = AbortSignal.timeout(timeoutMs)
  let bytes: Uint8Array
  try {
    bytes = await untilAborted(() => read(path, signal), signal)
  } catch (error) {
    throw fault(signal.aborted ? `was not read to its end within ${timeoutMs} ms` : `cannot be read (${codeOf(error)})`)
  }
  if (bytes.byteLength > FILE_BYTES_MAX) throw fault(`has more than ${FILE_BYTES_MAX} bytes`)
  const text = decode(bytes)
  if (text === undefined) throw fault('is not UTF-8')
  if (text === '') throw fault('is empty')
  return text
}
