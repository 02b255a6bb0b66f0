// The thread that reads the document of one import, and ends with it.
import { parentPort, workerData } from 'node:worker_threads'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { PlannedImport } from '../../operations/imports/plan-clients.ts'
import { readImportBody } from './plan-import.ts'

/** `bytes` are handed over, not copied. */
export type ImportThreadInput = { readonly bytes: ArrayBuffer }

export type ImportThreadOutput = OrRefusal<PlannedImport>

const { bytes } = workerData as ImportThreadInput

parentPort?.postMessage(readImportBody(Buffer.from(bytes)) satisfies ImportThreadOutput)
