// Writes to what a user names: all of a file or nothing, a pipe or a device as it is.
import { closeSync, constants, createWriteStream, openSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { putInPlace } from './durable-files.ts'
import { findOutput, makePrivateFile, type Output, OutputRefused, partOf } from './output.ts'
import { removingAtEnd } from './unfinished.ts'

type Fill = (into: Writable) => Promise<void>

const fillFile = async (path: string, fill: Fill): Promise<void> => {
  const part = partOf(path)
  const remove = (): void => rmSync(part, { force: true })
  await removingAtEnd(remove, async () => {
    makePrivateFile(part)
    await fill(createWriteStream(part, { flags: 'r+' }))
    putInPlace(part, path)
  })
}

// Opened first: a FIFO waits here for its reader, and nothing is asked of the service in vain. Neither made nor emptied.
const fillStream = async (path: string, fill: Fill): Promise<void> => {
  const handle = await open(path, constants.O_WRONLY)
  await fill(handle.createWriteStream())
}

/** Standard output of a process is a stream of Node's, which made a pipe there one that does not wait: only it can write there. */
const STANDARD: Readonly<Record<number, () => NodeJS.WritableStream>> = {
  1: () => process.stdout,
  2: () => process.stderr,
}

/** What is written to it is passed on; it ends, and the other goes on. */
const passTo = (stream: NodeJS.WritableStream): Writable =>
  new Writable({ write: (chunk: Uint8Array, _encoding, done) => void stream.write(chunk, fault => done(fault)) })

const openDescriptor = (descriptor: number): Writable => {
  const standard = STANDARD[descriptor]
  return standard === undefined ? createWriteStream('', { fd: descriptor, autoClose: false }) : passTo(standard())
}

const fillOutput = (output: Output, fill: Fill): Promise<void> => {
  if (output.kind === 'file') return fillFile(output.path, fill)
  if (output.kind === 'stream') return fillStream(output.path, fill)
  return fill(openDescriptor(output.descriptor))
}

const isOfSystem = (fault: unknown): fault is NodeJS.ErrnoException => fault instanceof Error && 'syscall' in fault

/** Refuses before `fill` is called what cannot be written. Throws OutputRefused with one line for a person, or what `fill` throws. */
export const writeOutput = async (given: string, fill: Fill): Promise<void> => {
  try {
    await fillOutput(findOutput(given), fill)
  } catch (fault) {
    if (!isOfSystem(fault)) throw fault
    throw new OutputRefused(`${JSON.stringify(given)} was not written: ${fault.message}`, { cause: fault })
  }
}

/** Opens without blocking: a service must not wait for the reader of a FIFO. */
const openUnblocked = (path: string): number => {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch (fault) {
    throw new OutputRefused(`${path} is no file and cannot be written now: read it, or remove it.`, { cause: fault })
  }
}

const writeStream = (path: string, text: string): void => {
  const descriptor = openUnblocked(path)
  try {
    writeFileSync(descriptor, text)
  } finally {
    closeSync(descriptor)
  }
}

/** Replaces a file of secrets at once: a reader sees the old text or the new one. Throws the error of the system, or OutputRefused. */
export const writeSecrets = (given: string, text: string): void => {
  const output = findOutput(given)
  if (output.kind === 'stream') return writeStream(output.path, text)
  if (output.kind === 'descriptor') return writeFileSync(output.descriptor, text)
  const part = partOf(output.path)
  try {
    makePrivateFile(part)
    writeFileSync(part, text)
    putInPlace(part, output.path, 'secrets')
  } finally {
    rmSync(part, { force: true })
  }
}
