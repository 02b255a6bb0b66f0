// Counts recently issued tokens by time slots, in a sliding window of whole slots.
import type { Milliseconds } from '../../../../api/values/time.ts'

/** A token counts until its slot has left the window: for the length of the window and less than one slot more. */
export type RateWindow = { readonly slotMs: Milliseconds; readonly slots: number }

export const MINUTE_WINDOW: RateWindow = { slotMs: 1000, slots: 60 }
export const DAY_WINDOW: RateWindow = { slotMs: 600_000, slots: 144 }

/** The tokens of one slot; slots are numbered from 1970. */
export type Issued = { readonly slot: number; readonly count: number }

const slotOf = (at: Milliseconds, { slotMs }: RateWindow): number => Math.floor(at / slotMs)

/**
 * The first time from `at` at which a token may be issued, so that no time span of the window's length ever contains
 * more than `max`. `issued` is by slot, ascending. Slots after `at` count too: ids are made before they are written, so a
 * token may be written after one that was made later.
 */
export const earliestIssue = (
  issued: readonly Issued[],
  max: number,
  window: RateWindow,
  at: Milliseconds,
): Milliseconds => {
  const oldest = slotOf(at, window) - window.slots
  let left = max
  for (let n = issued.length - 1; n >= 0; n -= 1) {
    const { slot, count } = issued[n] ?? { slot: 0, count: 0 }
    if (slot < oldest) break
    left -= count
    if (left <= 0) return (slot + window.slots + 1) * window.slotMs
  }
  return at
}

/** How many slots later a token may be written than one made after it. A request waits for less than ten seconds. */
const LATE_SLOTS = 10

/** The counts with one more token, issued at `at`, without slots that no window can include any more. */
export const countIssued = (issued: readonly Issued[], window: RateWindow, at: Milliseconds): readonly Issued[] => {
  const slot = slotOf(at, window)
  const kept = issued.filter(one => one.slot >= slot - window.slots - LATE_SLOTS)
  const n = kept.findLastIndex(one => one.slot <= slot)
  const same = kept[n]
  return same?.slot === slot
    ? kept.with(n, { slot, count: same.count + 1 })
    : kept.toSpliced(n + 1, 0, { slot, count: 1 })
}
