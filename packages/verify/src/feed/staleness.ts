// How stale the facts may be, and what time it is at the service: both from the instant at which a request was *sent*.
// When its answer arrived says nothing, because a proxy may have kept it. An answer that a cache repeats was made before
// that: its time of the service says how long before.
import type { TimeRange } from '../tokens/claims.ts'
import { elapsedMs, type Instant, instantOf, msBetween, type Runtime } from '../wire/runtime.ts'
import type { Head } from './document.ts'

type Place = { readonly epoch: string; readonly position: number }

/** An answer that confirms its position once the facts have reached it. */
type PendingConfirmation = Place & { readonly sentAt: Instant }

const PENDING_MAX = 8

/**
 * The share of the passing time by which the clocks of two machines may differ, while one of them is slewed. Where the time of the
 * service falls behind after all, as with a clock that was set back during a restart, it has caught up after ten times as long.
 */
const CLOCK_RATE_ERROR = 0.1

export type Staleness = {
  /** A head, or an answer that there is nothing after a position, and how far the facts are by now. */
  readonly note: (confirmed: Place, sentAt: Instant, reached: Place | undefined) => void
  /** The facts are at this position now. */
  readonly reach: (reached: Place) => void
  /** An answer, or a heartbeat, is of this time of the service. */
  readonly learn: (answer: Dated) => void
  /** Returns when the request was sent, or when the response was made if that is earlier, because a cache repeats it. */
  readonly dateOf: (answer: Dated, sentAt: Instant) => Instant
  /** The time of the service in a head. */
  readonly noteTime: (head: Head, sentAt: Instant) => void
  /** Nothing is confirmed any more. */
  readonly reset: () => void
  /** Infinity where nothing is confirmed. */
  readonly ms: () => number
  /** The time of the service, to within the duration of the request that it was stated for; undefined where it stated none. */
  readonly serviceTime: () => TimeRange | undefined
}

const isWithin = (confirmed: Place, reached: Place): boolean =>
  confirmed.epoch === reached.epoch && confirmed.position <= reached.position

type Dated = Pick<Head, 'epoch' | 'now'>

/** A known time of the service at an instant: at least so late. It never falls in an epoch; another epoch has another clock. */
type KnownTime = Dated & { readonly atMs: number }

const makeKnownTime = ({ monotonicMs }: Runtime) => {
  let known: KnownTime | undefined
  const timeAt = ({ now, atMs }: KnownTime, ms: number, rate: number): number => now + (ms - atMs) * rate
  return {
    learn: ({ epoch, now }: Dated): void => {
      const atMs = monotonicMs()
      const isLate = known?.epoch === epoch && now < timeAt(known, atMs, 1 - CLOCK_RATE_ERROR)
      if (!isLate) known = { epoch, now, atMs }
    },
    /** How long before this instant an answer was made at least; 0 for one that may have been made after it. */
    ageMs: ({ epoch, now }: Dated, sentMs: number): number => {
      if (known?.epoch !== epoch) return 0
      const behindMs = timeAt(known, sentMs, 1) - now
      return behindMs > Math.abs(sentMs - known.atMs) * CLOCK_RATE_ERROR ? behindMs : 0
    },
  }
}

const isLater = (sentAt: Instant, other: Instant | undefined): boolean =>
  other === undefined || sentAt.monotonicMs > other.monotonicMs

export const makeStaleness = (runtime: Runtime): Staleness => {
  let confirmedAt: Instant | undefined
  let pending: readonly PendingConfirmation[] = []
  const knownTime = makeKnownTime(runtime)
  let time: { readonly nowMs: number; readonly sentAt: Instant; readonly arrivedMs: number } | undefined

  const confirm = (sentAt: Instant): void => {
    if (isLater(sentAt, confirmedAt)) confirmedAt = sentAt
  }

  return {
    note: (confirmed, sentAt, reached) => {
      if (reached !== undefined && isWithin(confirmed, reached)) confirm(sentAt)
      else pending = [...pending, { ...confirmed, sentAt }].slice(-PENDING_MAX)
    },
    reach: reached => {
      for (const one of pending) if (isWithin(one, reached)) confirm(one.sentAt)
      pending = pending.filter(one => !isWithin(one, reached))
    },
    learn: knownTime.learn,
    dateOf: (answer, sentAt) => {
      const ageMs = knownTime.ageMs(answer, sentAt.monotonicMs)
      return { monotonicMs: sentAt.monotonicMs - ageMs, wallMs: sentAt.wallMs - ageMs }
    },
    noteTime: ({ now }, sentAt) => {
      if (isLater(sentAt, time?.sentAt)) time = { nowMs: now, sentAt, arrivedMs: runtime.monotonicMs() }
    },
    reset: () => {
      confirmedAt = undefined
      pending = []
      time = undefined
    },
    ms: () => (confirmedAt === undefined ? Infinity : elapsedMs(runtime, confirmedAt)),
    serviceTime: () => {
      if (time === undefined) return undefined
      const { nowMs, sentAt, arrivedMs } = time
      const now = instantOf(runtime)
      return { earliestMs: nowMs + now.monotonicMs - arrivedMs, latestMs: nowMs + msBetween(sentAt, now) }
    },
  }
}
