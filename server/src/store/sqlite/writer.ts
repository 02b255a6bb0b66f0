// A serving thread's side of the writing thread: hands over jobs, with a deadline of its own in front of a slow disk.
import { MessageChannel, type MessagePort, type Transferable, Worker } from 'node:worker_threads'
import { Unavailable } from '../../domain/refusal.ts'
import { monotonicMs } from './clock.ts'
import { StoreProblem } from './connection.ts'
import type { JobInput, JobName, JobOutput } from './jobs.ts'
import type { PackedTokens } from './rows.ts'
import type {
  Failure,
  HoldMessage,
  HoldReply,
  HoldRequest,
  JobMessage,
  Reply,
  WriterMessage,
  WriterOptions,
} from './writer-messages.ts'

/** After so long a request is answered 503; whether it was done is then unknown. */
export const STORE_DEADLINE_MS = 4500

const RESTART_MS = 1000

export type Holder = { readonly insert: (packed: PackedTokens) => Promise<Uint8Array> }

export type Writer = {
  readonly call: <Name extends JobName>(
    job: Name,
    input: JobInput<Name>,
    transfer?: readonly Transferable[],
  ) => Promise<JobOutput<Name>>
  /** Runs `work` while nothing else can write. */
  readonly hold: <T>(work: (holder: Holder) => Promise<T>) => Promise<T>
  readonly close: () => Promise<void>
}

type Waiting = {
  readonly resolve: (value: unknown) => void
  readonly reject: (fault: Error) => void
  readonly timer: NodeJS.Timeout
}

const faultOf = ({ kind, message }: Failure): Error =>
  kind === 'unavailable' ? new Unavailable(message) : new Error(`The writing thread failed: ${message}`)

const startThread = (options: WriterOptions): Promise<Worker> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(new URL(`./writer-thread${import.meta.url.slice(-3)}`, import.meta.url), {
      workerData: options,
      name: 'mintmark writer',
    })
    thread.once('message', () => resolve(thread))
    thread.once('error', fault => reject(fault instanceof Error ? new StoreProblem(fault.message) : fault))
    thread.once('exit', () => reject(new StoreProblem('The writing thread ended as it started.')))
  })

/** The calls that wait for an answer, each until its deadline. `onIdle` hears when the last one has gone. */
const makeCalls = (deadlineMs: number, onIdle: () => void) => {
  const waiting = new Map<number, Waiting>()
  let last = 0
  const settle = (n: number): Waiting | undefined => {
    const one = waiting.get(n)
    if (one !== undefined) clearTimeout(one.timer)
    waiting.delete(n)
    if (waiting.size === 0) onIdle()
    return one
  }
  return {
    /** The number of a new call. */
    add: ({ resolve, reject }: Omit<Waiting, 'timer'>): number => {
      const n = ++last
      const late = () => settle(n)?.reject(new Unavailable('The store did not answer in time.'))
      waiting.set(n, { resolve, reject, timer: setTimeout(late, deadlineMs) })
      return n
    },
    answer: (reply: Reply): void => {
      const one = settle(reply.n)
      if ('failure' in reply) one?.reject(faultOf(reply.failure))
      else one?.resolve(reply.value)
    },
    refuseAll: (message: string): void => {
      for (const n of waiting.keys()) settle(n)?.reject(new Unavailable(message))
    },
  }
}

/** Starts the writing thread of a process; one that ends by itself is replaced. */
export const startWriter = async (options: WriterOptions, deadlineMs = STORE_DEADLINE_MS): Promise<Writer> => {
  let thread: Worker | undefined
  let starting: Promise<void> | undefined
  let closing = false
  const calls = makeCalls(deadlineMs, () => thread?.unref())

  const replace = (fault: unknown): void => {
    thread = undefined
    calls.refuseAll(`The writing thread ended: ${fault instanceof Error ? fault.message : String(fault)}`)
    restart()
  }

  const restart = (): void => {
    if (closing) return
    starting = adopt(startThread(options)).catch(() => void setTimeout(restart, RESTART_MS).unref())
  }

  const adopt = async (promised: Promise<Worker>): Promise<void> => {
    const started = await promised
    let fault: unknown = 'without a word'
    started.on('message', calls.answer)
    started.on('error', thrown => {
      fault = thrown
    })
    started.once('exit', () => replace(fault))
    started.unref()
    thread = started
  }

  const running = (): Worker => {
    if (thread === undefined) throw new Unavailable('The writing thread is being replaced.')
    return thread
  }

  const send = (message: (n: number, deadline: number) => JobMessage, transfer: readonly Transferable[]) =>
    new Promise<unknown>((resolve, reject) => {
      const to = running()
      to.ref()
      const n = calls.add({ resolve, reject })
      to.postMessage(message(n, monotonicMs() + deadlineMs), [...transfer])
    })

  await adopt(startThread(options))
  return {
    call: async (job, input, transfer = []) =>
      (await send((n, deadline) => ({ n, deadline, job, input }), transfer)) as Awaited<JobOutput<typeof job>>,
    hold: async work => holdLock(running(), deadlineMs, work),
    close: async () => {
      closing = true
      await starting
      const ended = thread === undefined ? undefined : new Promise(resolve => thread?.once('exit', resolve))
      thread?.ref()
      thread?.postMessage({ job: 'close' } satisfies WriterMessage)
      await ended
    },
  }
}

const LOCK_LOST = 'The lock of the store was lost.'

// The other end closes where the writing thread ends, and where the lock is lost because it was held too long.
const nextReply = (port: MessagePort, deadlineMs: number): Promise<HoldReply> =>
  new Promise((resolve, reject) => {
    const refuse = (message: string): void => {
      clearTimeout(timer)
      reject(new Unavailable(message))
    }
    const timer = setTimeout(refuse, deadlineMs, 'The lock of the store could not be had in time.')
    port.once('close', () => refuse(LOCK_LOST))
    port.once('message', (reply: HoldReply) => {
      clearTimeout(timer)
      if ('failure' in reply) reject(faultOf(reply.failure))
      else resolve(reply)
    })
  })

const holdLock = async <T>(thread: Worker, deadlineMs: number, work: (holder: Holder) => Promise<T>): Promise<T> => {
  const { port1: port, port2 } = new MessageChannel()
  const tell = (message: HoldMessage, transfer: readonly Transferable[]) => port.postMessage(message, [...transfer])
  let lost = false
  port.once('close', () => {
    lost = true
  })
  try {
    const held = nextReply(port, deadlineMs)
    const request: HoldRequest = { job: 'hold', deadline: monotonicMs() + deadlineMs, port: port2 }
    thread.postMessage(request, [port2])
    await held
    const insert = async (packed: PackedTokens): Promise<Uint8Array> => {
      if (lost) throw new Unavailable(LOCK_LOST)
      const outcomes = nextReply(port, deadlineMs)
      tell({ insert: packed }, [packed.rows])
      const reply = await outcomes
      if (!('outcomes' in reply)) throw new Error('A hold of the lock was answered out of turn.')
      return reply.outcomes
    }
    return await work({ insert })
  } finally {
    tell({ release: true }, [])
    port.close()
  }
}
