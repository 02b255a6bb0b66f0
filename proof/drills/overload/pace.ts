// Requests at fixed times, whatever becomes of the ones before: an open loop, so that no stall hides the requests that it
// would have met.
import { setTimeout as delay } from 'node:timers/promises'

export type Outcome = 'success' | 'unavailable' | 'lost' | 'wrong'

/** The times of one kind of request, in ms. */
export type Timed = {
  /** The latencies of answered requests, from the time at which each was meant to leave, in the order of the responses. */
  readonly latencies: number[]
  readonly outcomes: Record<Outcome, number>
  /** Later than LATE_MS after the request had left, or never within ANSWER_MS_MAX. */
  late: number
  /** The time of the first `unavailable` after the start of the measurement; null where there was none. */
  firstUnavailableMs: number | null
  /** What was wrong about the first that did not succeed. */
  firstFailure: string | null
}

/** No answer comes later after its request. */
export const LATE_MS = 5000

export const noTimes = (): Timed => ({
  latencies: [],
  outcomes: { success: 0, unavailable: 0, lost: 0, wrong: 0 },
  late: 0,
  firstUnavailableMs: null,
  firstFailure: null,
})

export type Asked = {
  readonly outcome: Outcome
  /** What was wrong; null for a success. */
  readonly failure: string | null
  /** When the request had left, by performance.now(). */
  readonly sentAt: number
  /** False if the connection ended without an answer. */
  readonly isAnswered: boolean
  /** No answer came while the connection stayed open. */
  readonly isForgotten: boolean
}

/** Adds an outcome that was due at `due` and is there now. */
export const addOutcome = (times: Timed, asked: Asked, at: { readonly due: number; readonly start: number }): void => {
  const now = performance.now()
  times.outcomes[asked.outcome] += 1
  if (asked.isAnswered) times.latencies.push(now - at.due)
  if (asked.isForgotten || (asked.isAnswered && now - asked.sentAt > LATE_MS)) times.late += 1
  if (asked.outcome === 'unavailable') times.firstUnavailableMs ??= now - at.start
  times.firstFailure ??= asked.failure
}

export type Pacing = {
  /** Sends no more, and waits for what is under way. Gives the longest that a request left after its time. */
  readonly stop: () => Promise<number>
}

/** Calls `ask` so many times a second, first after `offsetMs`. */
export const startPace = (ratePerSecond: number, offsetMs: number, ask: (due: number) => Promise<void>): Pacing => {
  const start = performance.now() + offsetMs
  const underWay = new Set<Promise<void>>()
  const over = new AbortController()
  const { signal } = over
  let lagMs = 0
  const run = async (): Promise<void> => {
    for (let sent = 0; !signal.aborted; sent += 1) {
      const due = start + (1000 * sent) / ratePerSecond
      const wait = due - performance.now()
      if (wait > 0) await delay(wait)
      if (signal.aborted) return
      lagMs = Math.max(lagMs, performance.now() - due)
      const asking = ask(due).finally(() => underWay.delete(asking))
      underWay.add(asking)
    }
  }
  const running = run()
  return {
    stop: async () => {
      over.abort()
      await running
      await Promise.all(underWay)
      return lagMs
    },
  }
}
