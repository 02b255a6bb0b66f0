// In this folder: the one writing thread of SQLite, which commits queued jobs in groups; and its client in each serving thread.
// The writing thread's code without a thread: for a command, and for tests. It waits for a lock of the file in the thread that
// calls it, so a lock that this thread holds itself is never given up.
import { EventEmitter } from 'node:events'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { MakeWriter } from './make-writer-thread.ts'
import type { WriterControl, WriterReport } from './writer-messages.ts'
import { startWriting } from './writing.ts'

/** Writes in the thread that calls it, by the messages of a writing thread. */
export const makeInlineWriter: MakeWriter = options => {
  const { port1: host, port2: control } = new MessageChannel()
  const writer = Object.assign(new EventEmitter(), {
    postMessage: (message: WriterControl, transfer: MessagePort[]) => host.postMessage(message, transfer),
    ref: () => host.ref(),
    unref: () => host.unref(),
  })
  host.on('message', (report: WriterReport) => writer.emit('message', report))
  host.once('close', () => writer.emit('exit'))
  // As a thread starts: once its listeners are there.
  queueMicrotask(() => {
    try {
      startWriting(options, control, () => control.close())
      control.unref()
    } catch (fault) {
      writer.emit('error', fault)
      control.close()
    }
  })
  return writer
}
