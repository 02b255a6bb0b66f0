// A serving thread's side of the writing thread: hands over jobs, with a deadline of its own in front of a slow disk.
import { MessageChannel, type Transferable, Worker } from 'node:worker_threads'
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
  })

/** Starts the writing thread of a process; one that ends by itself is replaced. */
export const startWriter = async (options: WriterOptions): Promise<Writer> => {
  const waiting = new Map<number, Waiting>()
  let thread: Worker | undefined
  let closing = false
  let last = 0

  const settle = (n: number): Waiting | undefined => {
    const one = waiting.get(n)
    if (one !== undefined) clearTimeout(one.timer)
    waiting.delete(n)
    if (waiting.size === 0) thread?.unref()
    return one
  }

  const answer = (reply: Reply): void => {
    const one = settle(reply.n)
    if ('failure' in reply) one?.reject(faultOf(reply.failure))
    else one?.resolve(reply.value)
  }

  const replace = (fault: unknown): void => {
    thread = undefined
    const reason = fault instanceof Error ? fault.message : String(fault)
    for (const n of waiting.keys()) settle(n)?.reject(new Unavailable(`The writing thread ended: ${reason}`))
    if (!closing) restart()
  }

  const restart = (): void => {
    adopt(startThread(options)).catch(() => setTimeout(restart, RESTART_MS).unref())
  }

  const adopt = async (starting: Promise<Worker>): Promise<void> => {
    const started = await starting
    let fault: unknown = 'without a word'
    started.on('message', answer)
    started.on('error', thrown => {
      fault = thrown
    })
    started.once('exit', () => replace(fault))
    started.unref()
    thread = started
  }

  const send = (message: (n: number, deadline: number) => JobMessage, transfer: readonly Transferable[]) =>
    new Promise<unknown>((resolve, reject) => {
      if (thread === undefined) throw new Unavailable('The writing thread is being replaced.')
      const n = ++last
      const late = () => settle(n)?.reject(new Unavailable('The store did not answer in time.'))
      if (waiting.size === 0) thread.ref()
      waiting.set(n, { resolve, reject, timer: setTimeout(late, STORE_DEADLINE_MS) })
      thread.postMessage(message(n, monotonicMs() + STORE_DEADLINE_MS), [...transfer])
    })

  await adopt(startThread(options))
  return {
    call: async (job, input, transfer = []) =>
      (await send((n, deadline) => ({ n, deadline, job, input }), transfer)) as Awaited<JobOutput<typeof job>>,
    hold: work => holdLock(message => thread?.postMessage(message, [message.port]), work),
    close: async () => {
      closing = true
      const ended = thread === undefined ? undefined : new Promise(resolve => thread?.once('exit', resolve))
      thread?.ref()
      thread?.postMessage({ job: 'close' } satisfies WriterMessage)
      await ended
    },
  }
}

const holdLock = async <T>(send: (message: HoldRequest) => void, work: (holder: Holder) => Promise<T>): Promise<T> => {
  const { port1: port, port2 } = new MessageChannel()
  const next = () =>
    new Promise<HoldReply>((resolve, reject) => {
      const late = () => reject(new Unavailable('The lock of the store could not be had in time.'))
      const timer = setTimeout(late, STORE_DEADLINE_MS)
      port.once('message', (reply: HoldReply) => {
        clearTimeout(timer)
        if ('failure' in reply) reject(faultOf(reply.failure))
        else resolve(reply)
      })
    })
  const tell = (message: HoldMessage, transfer: readonly Transferable[]) => port.postMessage(message, [...transfer])
  try {
    const held = next()
    send({ job: 'hold', deadline: monotonicMs() + STORE_DEADLINE_MS, port: port2 })
    await held
    const insert = async (packed: PackedTokens): Promise<Uint8Array> => {
      const outcomes = next()
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
