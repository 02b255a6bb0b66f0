// Reads the document of an import on a thread of its own, which has a bounded time and memory: one of 16 MiB would keep the
// thread that serves, and all who ask it, for seconds.
import { Worker } from 'node:worker_threads'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { PlannedImport } from '../../operations/imports/plan-clients.ts'
import type { Timing } from '../../ports/timing.ts'
import { readImportBody } from './plan-import.ts'
import type { ImportThreadInput, ImportThreadOutput } from './import-thread.ts'

/** A body that is no longer is read as those of other operations are: a thread takes 50 ms to start. */
export const READ_HERE_BYTES_MAX = 65_536

/** What the text and the values of a document take, and some more. The bytes that arrived are not counted. */
const READING_MEMORY = { maxOldGenerationSizeMb: 176, maxYoungGenerationSizeMb: 16 } as const

export type ReadingLimits = {
  readonly timing: Pick<Timing, 'importReadingMs'>
  /** Less in tests. */
  readonly memory?: { readonly maxOldGenerationSizeMb: number }
}

const TOO_LARGE = 'The document takes more memory than there is for an import: import it in parts.'
const TOO_SLOW = 'The document was not read in time: import it in parts, or try again.'

/** The bytes as something that can be handed to a thread: a short body is a part of what it shares with others. */
const ownBytesOf = (body: Buffer): ArrayBuffer => {
  const { buffer, byteLength } = body
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? buffer : Uint8Array.from(body).buffer
}

const startThread = (body: Buffer, { memory = READING_MEMORY }: ReadingLimits, onEnd: () => void): Worker => {
  try {
    const bytes = ownBytesOf(body)
    const url = new URL(`./import-thread${import.meta.url.slice(-3)}`, import.meta.url)
    const thread = new Worker(url, {
      name: 'mintmark import',
      workerData: { bytes } satisfies ImportThreadInput,
      transferList: [bytes],
      resourceLimits: memory,
    })
    return thread.once('exit', onEnd)
  } catch (fault) {
    onEnd()
    throw fault
  }
}

const isOutOfMemory = (fault: unknown): boolean =>
  fault instanceof Error && 'code' in fault && fault.code === 'ERR_WORKER_OUT_OF_MEMORY'

/**
 * What is planned, or why the document is refused; `onEnd` is called once its memory is free again. The body is used up.
 * Throws what the thread threw: a fault of ours.
 */
export const readImport = async (
  body: Buffer | null,
  onEnd: () => void,
  limits: ReadingLimits,
): Promise<OrRefusal<PlannedImport>> => {
  if (body === null || body.length <= READ_HERE_BYTES_MAX) {
    onEnd()
    return readImportBody(body)
  }
  const thread = startThread(body, limits, onEnd)
  return new Promise((resolve, reject) => {
    let read: ImportThreadOutput | undefined
    const timer = setTimeout(() => {
      resolve(refuse('temporarily_unavailable', TOO_SLOW))
      void thread.terminate()
    }, limits.timing.importReadingMs)
    thread.once('message', (message: ImportThreadOutput) => {
      read = message
    })
    thread.once('error', fault =>
      isOutOfMemory(fault) ? resolve(refuse('request_too_large', TOO_LARGE)) : reject(fault),
    )
    thread.once('exit', code => {
      clearTimeout(timer)
      if (read === undefined) reject(new Error(`The thread that reads an import ended with ${code}.`))
      else resolve(read)
    })
  })
}
