// A seeded source of choices: one seed, one test.

export type Random = {
  /** A whole number from 0 on, below `below`. */
  readonly int: (below: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <T>(list: readonly T[]) => T
  /** At least one and at most `most` members of the list, in its order. */
  readonly some: <T>(list: readonly T[], most: number) => readonly T[]
  readonly bytes: (count: number) => Uint8Array
}

// Mulberry32: small, fast, and good enough to choose test cases with.
const mulberry32 = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

export const makeRandom = (seed: number): Random => {
  const next = mulberry32(seed)
  const int = (below: number): number => Math.floor(next() * below)
  const pick = <T>(list: readonly T[]): T => {
    const picked = list[int(list.length)]
    if (picked === undefined) throw new Error('There is nothing to pick from.')
    return picked
  }
  return {
    int,
    chance: probability => next() < probability,
    pick,
    some: (list, most) => {
      const chosen = new Set(Array.from({ length: 1 + int(most) }, () => pick(list)))
      return list.filter(member => chosen.has(member))
    },
    bytes: count => Uint8Array.from({ length: count }, () => int(256)),
  }
}
