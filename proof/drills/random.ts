// Random choices that a seed repeats.

export type Random = {
  /** A whole number from 0 to below the bound. */
  readonly below: (bound: number) => number
  /** A whole number from `least` to `most`, both included. */
  readonly between: (least: number, most: number) => number
  /** Returns true for this share of the calls. */
  readonly chance: (share: number) => boolean
  readonly pick: <T>(values: readonly T[]) => T
}

// Mulberry32: 32 bits of state are enough to choose moments and operations.
const makeStream = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

export const makeRandom = (seed: number): Random => {
  const next = makeStream(seed)
  const below = (bound: number): number => Math.floor(next() * bound)
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: share => next() < share,
    pick: values => {
      const value = values[below(values.length)]
      if (value === undefined) throw new Error('There is nothing to pick from.')
      return value
    },
  }
}
