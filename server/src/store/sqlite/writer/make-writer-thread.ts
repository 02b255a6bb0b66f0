// Makes the writing thread.
import type { EventEmitter } from 'node:events'
import { type MessagePort, Worker } from 'node:worker_threads'
import { StoreProblem } from '../../store-problem.ts'
import type { WriterControl, WriterOptions } from './writer-messages.ts'

const TOO_FEW_THREADS =
  'This user may start no further thread (EAGAIN): raise the limit with `ulimit -u`, TasksMax= of systemd or --pids-limit of a container.'

/** Emits `message` for each WriterReport, and `error` and `exit` as a Worker does. */
export type WriterThread = EventEmitter & {
  readonly postMessage: (control: WriterControl, transfer: MessagePort[]) => void
  readonly ref: () => void
  readonly unref: () => void
}

export type MakeWriter = (options: WriterOptions) => WriterThread

/** Throws StoreProblem where the system gives no thread. */
export const makeWriterThread: MakeWriter = workerData => {
  try {
    const program = new URL(`./writer-thread${import.meta.url.slice(-3)}`, import.meta.url)
    return new Worker(program, { workerData, name: 'mintmark writer' })
  } catch (fault) {
    // What Node says of a thread that the system does not give.
    if (!(fault instanceof Error && fault.message === 'EAGAIN')) throw fault
    throw new StoreProblem(TOO_FEW_THREADS)
  }
}
