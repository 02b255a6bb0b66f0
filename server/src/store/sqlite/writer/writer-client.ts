// A thread's side of the writing thread: hands over jobs, with a deadline of its own in front of a slow disk.
import { MessageChannel, type MessagePort, type Transferable } from 'node:worker_threads'
import { Unavailable } from '../../../domain/refusal.ts'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { InsertOutcome } from '../../../ports/ports.ts'
import { monotonicMs } from '../../monotonic.ts'
import { STORE_DEADLINE_MS } from '../../store-options.ts'
import type { JobInput, JobName, JobOutput } from './jobs.ts'
import type { PackedTokens } from './packed-tokens.ts'
import type { Failure, LockMessage, LockReply, LockRequest, JobMessage, Reply } from './writer-messages.ts'

type LockOwner = { readonly insert: (packed: PackedTokens) => Promise<readonly InsertOutcome[]> }

/** `until`: the caller's deadline, where that is sooner than the store's own. What has not begun by then is not begun. */
export type SqliteWriter = {
  readonly call: <Name extends JobName>(
    job: Name,
    input: JobInput<Name>,
    until?: MonotonicMilliseconds,
  ) => Promise<JobOutput<Name>>
  /** Runs `work` while nothing else can write. */
  readonly hold: <T>(work: (owner: LockOwner) => Promise<T>, until?: MonotonicMilliseconds) => Promise<T>
}

type WriterClient = SqliteWriter & {
  /** Takes the port to a writing thread, the first or the next after one that ended. */
  readonly connect: (port: MessagePort) => void
}

const LATE = 'The store did not answer in time.'

type Waiting = {
  readonly resolve: (value: unknown) => void
  readonly reject: (fault: Error) => void
  readonly timer: NodeJS.Timeout
}

const faultOf = ({ kind, message }: Failure): Error =>
  kind === 'unavailable' ? new Unavailable(message) : new Error(`The writing thread failed: ${message}`)

/** What is handed over without a copy: the rows of new tokens. */
const transferredOf = (input: JobInput<JobName>): readonly Transferable[] =>
  typeof input === 'object' && input !== null && 'rows' in input ? [input.rows] : []

/** A client that is not connected refuses: the writing thread is being replaced, or the store is closed. */
export const makeWriterClient = (deadlineMs = STORE_DEADLINE_MS): WriterClient => {
  const waiting = new Map<number, Waiting>()
  let port: MessagePort | undefined
  let last = 0

  const settle = (n: number): Waiting | undefined => {
    const one = waiting.get(n)
    if (one !== undefined) clearTimeout(one.timer)
    waiting.delete(n)
    if (waiting.size === 0) port?.unref()
    return one
  }

  const answer = (reply: Reply): void => {
    const one = settle(reply.n)
    if ('failure' in reply) one?.reject(faultOf(reply.failure))
    else one?.resolve(reply.value)
  }

  // The other end closes where the writing thread ends: what it was doing is then unknown.
  const disconnect = (closed: MessagePort): void => {
    if (port !== closed) return
    port = undefined
    for (const n of waiting.keys()) settle(n)?.reject(new Unavailable('The writing thread ended.'))
  }

  const connected = (): MessagePort => {
    if (port === undefined) throw new Unavailable('The writing thread is not there: it is being replaced, or closed.')
    return port
  }

  /** In how many ms the caller is refused. A request whose time is up before this step begins takes no further one. */
  const patienceMs = (until: MonotonicMilliseconds = Number.POSITIVE_INFINITY): number => {
    const left = Math.min(deadlineMs, until - monotonicMs())
    if (left <= 0) throw new Unavailable(LATE)
    return left
  }

  const send = (message: (n: number) => JobMessage, transfer: readonly Transferable[], waitMs: number) =>
    new Promise<unknown>((resolve, reject) => {
      const to = connected()
      const n = ++last
      const late = () => settle(n)?.reject(new Unavailable(LATE))
      if (waiting.size === 0) to.ref()
      waiting.set(n, { resolve, reject, timer: setTimeout(late, waitMs) })
      to.postMessage(message(n), [...transfer])
    })

  return {
    connect: opened => {
      port = opened
      opened.on('message', answer)
      opened.once('close', () => disconnect(opened))
      opened.unref()
    },
    call: async (job, input, until) => {
      const waitMs = patienceMs(until)
      const deadline = monotonicMs() + waitMs
      return (await send(n => ({ n, deadline, job, input }), transferredOf(input), waitMs)) as JobOutput<typeof job>
    },
    hold: async (work, until) => holdLock(connected(), patienceMs(until), work),
  }
}

const LOCK_LOST = 'The lock of the store was lost.'

// The other end closes where the writing thread ends, and where the lock is lost because it was held too long.
const nextReply = (port: MessagePort, deadlineMs: number): Promise<LockReply> =>
  new Promise((resolve, reject) => {
    const refuse = (message: string): void => {
      clearTimeout(timer)
      reject(new Unavailable(message))
    }
    const timer = setTimeout(refuse, deadlineMs, 'The lock of the store could not be had in time.')
    port.once('close', () => refuse(LOCK_LOST))
    port.once('message', (reply: LockReply) => {
      clearTimeout(timer)
      if ('failure' in reply) reject(faultOf(reply.failure))
      else resolve(reply)
    })
  })

const holdLock = async <T>(
  writer: MessagePort,
  deadlineMs: number,
  work: (owner: LockOwner) => Promise<T>,
): Promise<T> => {
  const { port1: port, port2 } = new MessageChannel()
  const report = (message: LockMessage, transfer: readonly Transferable[]) => port.postMessage(message, [...transfer])
  let lost = false
  port.once('close', () => {
    lost = true
  })
  try {
    const held = nextReply(port, deadlineMs)
    const request: LockRequest = { job: 'hold', deadline: monotonicMs() + deadlineMs, port: port2 }
    writer.postMessage(request, [port2])
    await held
    const insert = async (packed: PackedTokens): Promise<readonly InsertOutcome[]> => {
      if (lost) throw new Unavailable(LOCK_LOST)
      const outcomes = nextReply(port, deadlineMs)
      report({ insert: packed }, [packed.rows])
      const reply = await outcomes
      if (!('outcomes' in reply)) throw new Error('A hold of the lock was answered out of turn.')
      return reply.outcomes
    }
    return await work({ insert })
  } finally {
    report({ release: true }, [])
    port.close()
  }
}
