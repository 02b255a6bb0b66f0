// In the place of make-writer-thread.ts: a writing thread whose store is closed writes for the next one. To load what it runs takes
// most of the time of a test that opens a store.
import { EventEmitter } from 'node:events'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import {
  makeWriterThread as startOwn,
  type WriterThread,
} from '../../server/src/store/sqlite/writer/make-writer-thread.ts'
import type {
  WriterControl,
  WriterOptions,
  WriterReport,
} from '../../server/src/store/sqlite/writer/writer-messages.ts'
import type { Turn } from './reused-writer-thread.ts'

const REUSED = new URL('./reused-writer-thread.ts', import.meta.url)
/** The number of a thread that is no more. */
const ENDED = -1

const idle: Worker[] = []

const forget = (thread: Worker): void => {
  const place = idle.indexOf(thread)
  if (place !== -1) idle.splice(place, 1)
}

const start = (): Worker => {
  const thread = new Worker(REUSED, { name: 'writers of tests' })
  thread.unref()
  thread.once('exit', () => forget(thread))
  return thread
}

/** One turn of a thread, as its host knows a Worker. */
const takeTurn = (options: WriterOptions): WriterThread => {
  const thread = idle.pop() ?? start()
  const { port1, port2 } = new MessageChannel()
  const turn = Object.assign(new EventEmitter(), {
    postMessage: (control: WriterControl, transfer: MessagePort[]) => port1.postMessage(control, transfer),
    ref: () => port1.ref(),
    unref: () => port1.unref(),
  })
  const fail = (fault: unknown): boolean => turn.emit('error', fault)
  thread.once('error', fail)
  port1.on('message', (report: WriterReport) => turn.emit('message', report))
  // The thread has closed the store, or has ended.
  port1.once('close', () => {
    thread.off('error', fail)
    if (thread.threadId !== ENDED) idle.push(thread)
    turn.emit('exit')
  })
  thread.postMessage({ options, control: port2 } satisfies Turn, [port2])
  return turn
}

let isReused = true

/** For a test of how threads start and end. */
export const useOwnThreads = (): void => {
  isReused = false
}

/** One that measures itself does so to its end. */
export const makeWriterThread = (options: WriterOptions): WriterThread =>
  isReused && options.metrics === null ? takeTurn(options) : startOwn(options)
