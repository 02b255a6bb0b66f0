// Deadlines of work that may wait for something: one timer watches all work under way, because a timer for each piece
// would cost more than the look-up of a token.
import { Unavailable } from '../domain/refusal.ts'
import type { MonotonicMilliseconds } from '../../../api/values/time.ts'
import type { Timing } from './timing.ts'

/**
 * Returns the outcome of `work`, or throws Unavailable once the clock reads `until`, by default a fixed time from now.
 * `work` itself goes on, and its outcome is then ignored.
 */
export type InTime = <Outcome>(work: Promise<Outcome>, until?: MonotonicMilliseconds) => Promise<Outcome>

type Waiting = { readonly until: MonotonicMilliseconds; readonly refuse: (fault: Unavailable) => void }

type Clock = {
  readonly monotonic: () => MonotonicMilliseconds
  readonly timing: Pick<Timing, 'deadlineSweepMs'>
}

/** Deadlines by this clock, `msMax` from now where none is given. `late` is the message for the log. */
export const makeDeadline = (clock: Clock, msMax: number, late: string): InTime => {
  const waiting = new Set<Waiting>()
  let timer: NodeJS.Timeout | undefined

  const sweep = (): void => {
    const now = clock.monotonic()
    for (const one of waiting) {
      if (one.until > now) continue
      waiting.delete(one)
      one.refuse(new Unavailable(late))
    }
    if (waiting.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return (work, until = clock.monotonic() + msMax) =>
    new Promise((resolve, reject) => {
      const one: Waiting = { until, refuse: reject }
      waiting.add(one)
      timer ??= setInterval(sweep, clock.timing.deadlineSweepMs).unref()
      work.then(resolve, reject).finally(() => waiting.delete(one))
    })
}
