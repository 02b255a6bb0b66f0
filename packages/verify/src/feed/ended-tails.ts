// Tokens that ended one by one: the tails of their ids under the second of their expiry, in typed arrays.
//
// A window holds the seconds of one minute in an open-addressing table: four bytes twice for a tail, and one for the
// second in the window. It grows by half when three quarters are full, so an entry takes 12 to 18 bytes; a whole window is
// dropped at once when its last second is over.

/** A tail as two halves of 32 bits, both unsigned. */
export type Tail = { readonly high: number; readonly low: number }

/** The most ends; beyond them a follower takes no more, becomes stale and says so. */
export const ENDS_MAX = 4_000_000

const WINDOW_SECONDS = 64
const SLOTS_MIN = 16
const FULL = 0.75
const GROWTH = 1.5

type Window = {
  /** The tails as pairs of high and low half. */
  halves: Uint32Array
  /** The second in the window plus one; 0 in an empty slot. */
  seconds: Uint8Array
  used: number
}

const slotsFor = (count: number): number => Math.max(SLOTS_MIN, Math.ceil(count / FULL) + 1)

const makeWindow = (slots: number): Window => ({
  halves: new Uint32Array(slots * 2),
  seconds: new Uint8Array(slots),
  used: 0,
})

// Tails are random, but who made them is not known: both halves and the second are mixed.
const mix = (high: number, low: number, second: number): number =>
  (Math.imul(high ^ second, 0x9e37_79b1) ^ Math.imul(low ^ (low >>> 15), 0x85eb_ca6b)) >>> 0

/** The slot of an entry, or the empty one where it belongs. */
const slotOf = ({ halves, seconds }: Window, { high, low }: Tail, second: number): number => {
  const slots = seconds.length
  for (let slot = mix(high, low, second) % slots; ; slot = slot + 1 === slots ? 0 : slot + 1) {
    const there = seconds[slot]
    if (there === 0) return slot
    if (there === second && halves[slot * 2] === high && halves[slot * 2 + 1] === low) return slot
  }
}

const put = (window: Window, tail: Tail, second: number): boolean => {
  const slot = slotOf(window, tail, second)
  if (window.seconds[slot] !== 0) return false
  window.seconds[slot] = second
  window.halves[slot * 2] = tail.high
  window.halves[slot * 2 + 1] = tail.low
  window.used += 1
  return true
}

const grown = (window: Window, slots: number): Window => {
  const larger = makeWindow(slots)
  for (let slot = 0; slot < window.seconds.length; slot += 1) {
    const second = window.seconds[slot] ?? 0
    if (second === 0) continue
    put(larger, { high: window.halves[slot * 2] ?? 0, low: window.halves[slot * 2 + 1] ?? 0 }, second)
  }
  return larger
}

const tailAt = (view: DataView, offset: number): Tail => ({
  high: view.getUint32(offset),
  low: view.getUint32(offset + 4),
})

export const TAIL_BYTES = 8

export type EndedTails = {
  /** Tails, eight bytes each, of tokens that expire in this second; those that are there already change nothing. */
  readonly add: (exp: number, tails: Uint8Array) => void
  readonly has: (exp: number, tail: Tail) => boolean
  /** Forgets what expired before this second. */
  readonly dropBefore: (second: number) => void
  readonly size: () => number
  /** Returns the bytes of the typed arrays. */
  readonly bytes: () => number
}

export const makeEndedTails = (): EndedTails => {
  const windows = new Map<number, Window>()
  let size = 0
  /** Seconds before this are over. A window is deleted, and its tails stop counting, once all of its seconds are over. */
  let droppedBefore = 0

  const roomFor = (key: number, count: number): Window => {
    const window = windows.get(key) ?? makeWindow(slotsFor(count))
    const needed = window.used + count
    const isFull = needed > window.seconds.length * FULL
    const slots = Math.max(slotsFor(needed), Math.ceil(window.seconds.length * GROWTH))
    const wide = isFull ? grown(window, slots) : window
    windows.set(key, wide)
    return wide
  }

  return {
    add: (exp, tails) => {
      const count = tails.length / TAIL_BYTES
      if (count === 0 || exp < droppedBefore) return
      const window = roomFor(Math.floor(exp / WINDOW_SECONDS), count)
      const view = new DataView(tails.buffer, tails.byteOffset, tails.byteLength)
      const second = (exp % WINDOW_SECONDS) + 1
      for (let n = 0; n < count; n += 1) if (put(window, tailAt(view, n * TAIL_BYTES), second)) size += 1
    },
    has: (exp, tail) => {
      const window = windows.get(Math.floor(exp / WINDOW_SECONDS))
      if (window === undefined) return false
      return window.seconds[slotOf(window, tail, (exp % WINDOW_SECONDS) + 1)] !== 0
    },
    dropBefore: second => {
      droppedBefore = Math.max(droppedBefore, second)
      const first = Math.floor(droppedBefore / WINDOW_SECONDS)
      for (const [key, { used }] of windows) {
        if (key >= first) continue
        windows.delete(key)
        size -= used
      }
    },
    size: () => size,
    bytes: () =>
      [...windows.values()].reduce((sum, { halves, seconds }) => sum + halves.byteLength + seconds.byteLength, 0),
  }
}
