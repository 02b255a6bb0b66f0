// In this folder: HTTP requests to the service, bounded in time and size, and what they need: deadlines, pauses, clocks, options.
// A limit of time, also for work that does not listen to the signal by which it is to end.
import type { Runtime } from './runtime.ts'

const NOTHING = (): void => undefined

/** Settles when the signal aborts, even if the work goes on. What the work throws or rejects with after that is ignored. */
export const untilAborted = async <T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  signal?.throwIfAborted()
  let stop = NOTHING
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal?.reason)
  })
  // A signal of the caller's may fail right after it called.
  aborted.catch(NOTHING)
  signal?.addEventListener('abort', stop, { once: true })
  // In a function of its own: what throws at once must not leave the other promise without a handler.
  const begin = async (): Promise<T> => work()
  try {
    return await Promise.race([aborted, begin()])
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

export type Deadline = {
  /** Aborted with the caller's signal, or when the time is over. */
  readonly signal: AbortSignal
  /** Stops the time, while somebody else is at work. */
  readonly pause: () => void
  /** Begins the time anew. */
  readonly restart: () => void
  /** Releases the timer and the caller's signal, which may live for long. */
  readonly end: () => void
}

/** `late` makes the reason of the signal when the time is over. */
export const startDeadline = (
  after: Runtime['after'],
  ms: number,
  caller: AbortSignal | undefined,
  late: () => Error,
): Deadline => {
  const controller = new AbortController()
  const start = () => after(ms, () => controller.abort(late()))
  const passOn = (): void => controller.abort(caller?.reason)
  // First: one that throws must leave no timer.
  caller?.addEventListener('abort', passOn, { once: true })
  let cancel = start()
  if (caller?.aborted === true) passOn()
  return {
    signal: controller.signal,
    pause: () => cancel(),
    restart: () => {
      cancel()
      cancel = start()
    },
    end: () => {
      cancel()
      caller?.removeEventListener('abort', passOn)
    },
  }
}

/** What the work resolves with. Rejects with what it throws or rejects with, or with the reason of the deadline, which ends with it. */
export const within = async <T>(deadline: Deadline, work: () => Promise<T>): Promise<T> => {
  try {
    return await untilAborted(work, deadline.signal)
  } finally {
    deadline.end()
  }
}

/** What a function or a store of the program's own may take: one that hangs is given up then. */
const PROGRAM_MS_MAX = 5000

const programLate = (): Error => new Error(`No answer came within ${PROGRAM_MS_MAX} ms.`)

/** The program's own work, {@link within} its time. */
export const inTime = async <T>(after: Runtime['after'], work: () => Promise<T>): Promise<T> =>
  within(startDeadline(after, PROGRAM_MS_MAX, undefined, programLate), work)
