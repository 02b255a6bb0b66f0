// A writing thread that writes for one store after another.
import { type MessagePort, parentPort } from 'node:worker_threads'
import type { WriterOptions } from '../../server/src/store/sqlite/writer/writer-messages.ts'
import { startWriting } from '../../server/src/store/sqlite/writer/writing.ts'

/** What a thread gets: the store to write for, and the port on which its host says how. */
export type Turn = { readonly options: WriterOptions; readonly control: MessagePort }

parentPort?.on('message', ({ options, control }: Turn) => startWriting(options, control, () => control.close()))
