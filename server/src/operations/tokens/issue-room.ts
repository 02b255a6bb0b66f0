// How many token requests may be under way: fewer while the store takes long for a group of them, so that what it could not
// serve in time is refused at once.
import type { Milliseconds, MonotonicMilliseconds } from '../../../../api/values/time.ts'
import { GROUP_MAX } from '../../domain/one-by-one.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Timing } from '../../ports/timing.ts'

/** Token requests under way in a thread: about a quarter of a second of its work. */
export const ISSUES_MAX = 2048

/** The least limit, however long the store takes: one group. */
export const ISSUES_MIN = GROUP_MAX

/** The growth of the limit after a group that took less than half of `issueGroupMs`. */
const GROWTH = 1.25

export type IssueRoom = {
  /** Returns how many requests may be under way now. */
  readonly requestsMax: () => number
  /** Notes that a group begins; returns what to call once it has ended. */
  readonly begin: () => () => void
}

type Clock = Pick<Ports, 'monotonic'> & { readonly timing: Pick<Timing, 'issueGroupMs'> }

/** Makes the room of one thread. */
export const makeIssueRoom = ({ monotonic: now, timing: { issueGroupMs } }: Clock): IssueRoom => {
  let max = ISSUES_MAX
  // How many were let in before the last groups that took long, and when the first of these ended.
  let before = max
  let sinceMs: MonotonicMilliseconds = Number.NEGATIVE_INFINITY
  // In the order in which they began.
  const begun = new Set<{ readonly at: MonotonicMilliseconds }>()

  const adapt = (beganAt: MonotonicMilliseconds, tookMs: Milliseconds): void => {
    if (tookMs < issueGroupMs / 2) max = Math.min(ISSUES_MAX, Math.ceil(max * GROWTH))
    if (tookMs <= issueGroupMs) return
    // Of those that were let in together the last one says how many were too many, and not each by itself.
    if (beganAt >= sinceMs) {
      before = max
      sinceMs = now()
    }
    max = Math.max(ISSUES_MIN, Math.min(max, Math.floor((before * issueGroupMs) / tookMs)))
  }

  return {
    requestsMax: () => {
      const [oldest] = begun
      return oldest !== undefined && now() - oldest.at > issueGroupMs ? ISSUES_MIN : max
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
