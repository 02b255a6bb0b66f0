// What the package takes from its runtime beside `fetch` and `crypto`: two clocks, timers and chance.

/** An instant by both clocks, to measure from. */
export type Instant = { readonly monotonicMs: number; readonly wallMs: number }

export type Runtime = {
  /** Milliseconds by a clock that only counts. */
  readonly monotonicMs: () => number
  /** Milliseconds since 1970 by the clock of this machine, which may be wrong and may step. */
  readonly wallMs: () => number
  /** Calls once, later; what it returns cancels the call. */
  readonly after: (ms: number, call: () => void) => () => void
  /** Returns a number of at least 0 and below 1. */
  readonly random: () => number
}

export const WEB_RUNTIME: Runtime = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
  random: () => Math.random(),
}

export const instantOf = ({ monotonicMs, wallMs }: Runtime): Instant => ({
  monotonicMs: monotonicMs(),
  wallMs: wallMs(),
})

/**
 * Milliseconds from one instant to another, at least 0. The larger of what the two clocks count: the one that only counts stands
 * still in some systems while the machine is suspended, and the other may be set back. An error makes a verifier more careful,
 * never less.
 */
export const msBetween = (since: Instant, now: Instant): number =>
  Math.max(0, now.monotonicMs - since.monotonicMs, now.wallMs - since.wallMs)

export const elapsedMs = (runtime: Runtime, since: Instant): number => msBetween(since, instantOf(runtime))
