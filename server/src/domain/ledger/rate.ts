// How many tokens were issued of late: counts by slots of time, in a window that slides on by whole slots.
import type { Milliseconds } from '../../../../api/values/time.ts'

/** A token counts until its slot has left the window: for the length of the window, and for less than a slot more. */
export type RateWindow = { readonly slotMs: Milliseconds; readonly slots: number }

export const MINUTE_WINDOW: RateWindow = { slotMs: 1000, slots: 60 }
export const DAY_WINDOW: RateWindow = { slotMs: 600_000, slots: 144 }

/** The tokens of one slot; slots are numbered from 1970 on. */
export type Issued = { readonly slot: number; readonly count: number }

const slotOf = (at: Milliseconds, { slotMs }: RateWindow): number => Math.floor(at / slotMs)

/**
 * The first instant from `at` on at which a token may be issued, so that no span of time as long as the window ever holds
 * more than `max`. `issued` is by slot, ascending. Slots after `at` count too: ids are made before they are written, so
 * that a token may come to be written after one that was made later.
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

/** A token may be written so many slots after one that was made later. A request waits for less than ten seconds. */
const LATE_SLOTS = 10

/** The counts with one token more, issued at `at`, and without those that no window can hold any more. */
export const countIssued = (issued: readonly Issued[], window: RateWindow, at: Milliseconds): readonly Issued[] => {
  const slot = slotOf(at, window)
  const kept = issued.filter(one => one.slot >= slot - window.slots - LATE_SLOTS)
  const n = kept.findLastIndex(one => one.slot <= slot)
  const same = kept[n]
  return same?.slot === slot
    ? kept.with(n, { slot, count: same.count + 1 })
    : kept.toSpliced(n + 1, 0, { slot, count: 1 })
}
