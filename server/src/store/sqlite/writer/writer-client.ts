// A thread's side of the writing thread: hands over jobs, with a deadline of its own in front of a slow disk.
import type { MessagePort, Transferable } from 'node:worker_threads'
import { Unavailable } from '../../../domain/refusal.ts'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import { monotonicMs } from '../../clocks.ts'
import { STORE_LATE } from '../../store-options.ts'
import type { Timing } from '../../../ports/timing.ts'
import type { JobInput, JobName, JobOutput } from './jobs.ts'
import { NO_TRACES, type Span, type Traces } from '../../../ports/traces.ts'
import type { CommitTimes, Failure, JobMessage, Reply } from './writer-messages.ts'

/** `until`: the caller's deadline, if earlier than the store's own. A job that has not begun by then never begins. */
export type SqliteWriter = {
  readonly call: <Name extends JobName>(
    job: Name,
    input: JobInput<Name>,
    until?: MonotonicMilliseconds,
  ) => Promise<JobOutput<Name>>
}

type WriterClient = SqliteWriter & {
  /** Takes the port to a writing thread, the first or the next after one that ended. */
  readonly connect: (port: MessagePort) => void
}

type Waiting = {
  readonly resolve: (value: unknown) => void
  readonly reject: (fault: Error) => void
  readonly timer: NodeJS.Timeout
  readonly span: Span | undefined
}

const faultOf = ({ kind, message, limit }: Failure): Error =>
  kind === 'unavailable'
    ? new Unavailable(message, limit === undefined ? {} : { limit })
    : new Error(`The writing thread failed: ${message}`)

/** The times are of a clock that all threads share. */
const recordCommit = (traces: Traces, span: Span, [beganAt, endedAt]: CommitTimes): void => {
  const since1970 = Date.now() - monotonicMs()
  traces.record(span, 'commit', [since1970 + beganAt, since1970 + endedAt])
}

/** What is handed over without a copy: the rows of new tokens. */
const transferredOf = (input: JobInput<JobName>): readonly Transferable[] =>
  typeof input === 'object' && input !== null && 'rows' in input ? [input.rows] : []

/** Connects the client, where nothing has yet; undefined where it is connected. */
export type BeforeJob = () => Promise<void> | undefined

type ClientOptions = {
  readonly timing: Pick<Timing, 'storeMs'>
  readonly beforeJob?: BeforeJob | undefined
  readonly traces?: Traces | undefined
}

const NOT_CONNECTED = 'Nothing writes to the store: its thread is being replaced, or it is closed.'

/** A client that is not connected refuses: the writing thread is being replaced, or the store is closed. */
export const makeWriterClient = ({ timing, beforeJob, traces = NO_TRACES }: ClientOptions): WriterClient => {
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
    if (one?.span !== undefined && reply.committed !== undefined) recordCommit(traces, one.span, reply.committed)
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
    if (port === undefined) throw new Unavailable(NOT_CONNECTED)
    return port
  }

  /** Returns in how many ms the caller is refused. A request whose time is up before this step begins takes no further one. */
  const patienceMs = (until: MonotonicMilliseconds = Number.POSITIVE_INFINITY): number => {
    const left = Math.min(timing.storeMs, until - monotonicMs())
    if (left <= 0) throw new Unavailable(STORE_LATE)
    return left
  }

  const send = (message: (n: number) => JobMessage, transfer: readonly Transferable[], waitMs: number) =>
    new Promise<unknown>((resolve, reject) => {
      const to = connected()
      const n = ++last
      // An answer that is there goes first: where this thread writes itself, both became due while it did.
      const late = () => setImmediate(() => settle(n)?.reject(new Unavailable(STORE_LATE)))
      if (waiting.size === 0) to.ref()
      const span = traces.current()
      waiting.set(n, { resolve, reject, timer: setTimeout(late, waitMs), span })
      to.postMessage(span === undefined ? message(n) : { ...message(n), isTraced: true }, [...transfer])
    })

  return {
    connect: opened => {
      port = opened
      opened.on('message', answer)
      opened.once('close', () => disconnect(opened))
      opened.unref()
    },
    call: async (job, input, until) => {
      const connecting = beforeJob?.()
      if (connecting !== undefined) await connecting
      const waitMs = patienceMs(until)
      const sentAt = monotonicMs()
      const deadline = sentAt + waitMs
      return (await send(n => ({ n, deadline, sentAt, job, input }), transferredOf(input), waitMs)) as JobOutput<
        typeof job
      >
    },
  }
}
