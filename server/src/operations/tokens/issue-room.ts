// How many token requests may be under way: fewer while the store takes long for a group of them, so that what it could not
// serve in time is refused at once.
import type { Milliseconds, MonotonicMilliseconds } from '../../../../api/values/time.ts'
import { GROUP_MAX } from '../../domain/one-by-one.ts'

/** Token requests under way in a thread: about a quarter of a second of its work. */
export const ISSUES_MAX = 2048

/** However long the store takes: one group. */
export const ISSUES_MIN = GROUP_MAX

/** A group should take no longer, from its look-ups to its commit: less than half of the deadline of its requests. */
export const GROUP_MS_MAX = 2000

/** After a group that took less than half of that there may be so many times more. */
const GROWTH = 1.25

export type IssueRoom = {
  /** How many may be under way now. */
  readonly requestsMax: () => number
  /** Notes that a group begins; returns what to call once it has ended. */
  readonly begin: () => () => void
}

/** Of one thread. */
export const makeIssueRoom = (now: () => MonotonicMilliseconds): IssueRoom => {
  let max = ISSUES_MAX
  // How many were let in before the last groups that took long, and when the first of these ended.
  let before = max
  let sinceMs: MonotonicMilliseconds = Number.NEGATIVE_INFINITY
  // In the order in which they began.
  const begun = new Set<{ readonly at: MonotonicMilliseconds }>()

  const adapt = (beganAt: MonotonicMilliseconds, tookMs: Milliseconds): void => {
    if (tookMs < GROUP_MS_MAX / 2) max = Math.min(ISSUES_MAX, Math.ceil(max * GROWTH))
    if (tookMs <= GROUP_MS_MAX) return
    // Of those that were let in together the last one says how many were too many, and not each by itself.
    if (beganAt >= sinceMs) {
      before = max
      sinceMs = now()
    }
    max = Math.max(ISSUES_MIN, Math.min(max, Math.floor((before * GROUP_MS_MAX) / tookMs)))
  }

  return {
    requestsMax: () => {
      const [oldest] = begun
      return oldest !== undefined && now() - oldest.at > GROUP_MS_MAX ? ISSUES_MIN : max
    },
    begin: () => {
      const group = { at: now() }
      begun.add(group)
      return () => {
        begun.delete(group)
        adapt(group.at, now() - group.at)
      }
    },
  }
}
