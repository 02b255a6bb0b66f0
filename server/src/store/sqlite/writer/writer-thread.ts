// The one thread that writes, as a program of its own.
import { parentPort, workerData } from 'node:worker_threads'
import type { WriterOptions } from './writer-messages.ts'
import { startWriting } from './writing.ts'

if (parentPort === null) throw new Error('The writing thread is not a program of its own.')

startWriting(workerData as WriterOptions, parentPort, () => process.exit())
