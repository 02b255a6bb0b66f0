// Clocks and dice that a test sets, for a source of tokens.
import type { World } from '../src/tokens/token-cache.ts'

export type ManualWorld = World & {
  /** Lets time pass for both clocks, in ms. */
  readonly pass: (ms: number) => void
  /** Sets the wall clock alone, by so many ms. */
  readonly step: (ms: number) => void
  readonly roll: (value: number) => void
}

export const makeWorld = (wallMs = Date.UTC(2026, 10, 21, 9, 30)): ManualWorld => {
  let [monotonic, wall, dice] = [1_000, wallMs, 0]
  return {
    monotonicMs: () => monotonic,
    wallMs: () => wall,
    random: () => dice,
    pass: ms => {
      monotonic += ms
      wall += ms
    },
    step: ms => {
      wall += ms
    },
    roll: value => {
      dice = value
    },
  }
}
