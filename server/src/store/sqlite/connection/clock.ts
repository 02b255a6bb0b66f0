// The store's clock: it never stands still, never steps back, and outlives a restart by the lease in the store.
// Its state is a cell of shared memory, so that every thread of a process reads one clock.
import { uptime } from 'node:os'
import { Unavailable } from '../../../domain/refusal.ts'
import type { Milliseconds } from '../../../../../api/values/time.ts'
import { CLOCK_OFF_MS_MAX, CLOCK_STEPS_MS } from '../../lease.ts'
import { monotonicMs } from '../../clocks.ts'

/** What a thread needs to read the clock: both members can be handed to another thread. */
export type ClockCells = {
  /**
   * [0] what to add to monotonic time; [1] the same as of [2], less the time that the machine had slept; [2] the
   * monotonic time since which steps ahead are added up.
   */
  readonly offset: SharedArrayBuffer
  /** [0] wall and [1] monotonic time of a test, in ms; null for the machine's own clocks. */
  readonly manual: SharedArrayBuffer | null
}

type Sources = {
  readonly wall: () => Milliseconds
  readonly monotonic: () => Milliseconds
  /** Time asleep: what the machine's uptime counts and its monotonic clock does not. */
  readonly asleep: () => Milliseconds
}

const machine: Sources = {
  wall: () => Date.now(),
  monotonic: () => Math.floor(monotonicMs()),
  asleep: () => Math.floor(uptime() * 1000 - monotonicMs()),
}

const manualSources = (buffer: SharedArrayBuffer): Sources => {
  const cells = new BigInt64Array(buffer)
  return {
    wall: () => Number(Atomics.load(cells, 0)),
    monotonic: () => Number(Atomics.load(cells, 1)),
    asleep: () => 0,
  }
}

const sourcesOf = (manual: SharedArrayBuffer | null): Sources => (manual === null ? machine : manualSources(manual))

/** Time that only passes while a process runs, in ms: no step of a clock changes it, nor sleep of the machine. */
export const steadyOf = ({ manual }: ClockCells): (() => Milliseconds) => sourcesOf(manual).monotonic

/** How far the lease of a store is ahead of the wall clock, in ms; 0 or less where it is not. */
export const leaseAhead = (lease: Milliseconds, manual: SharedArrayBuffer | null): number =>
  lease - sourcesOf(manual).wall()

/** Starts a process's clock at the later of wall clock and lease. */
export const startClock = (lease: Milliseconds, manual: SharedArrayBuffer | null): ClockCells => {
  const sources = sourcesOf(manual)
  const offset = new SharedArrayBuffer(24)
  const cells = new BigInt64Array(offset)
  const wall = sources.wall()
  const monotonic = sources.monotonic()
  const start = Math.max(lease, wall) - monotonic
  Atomics.store(cells, 0, BigInt(start))
  Atomics.store(cells, 1, BigInt(start - sources.asleep()))
  Atomics.store(cells, 2, BigInt(monotonic))
  return { offset, manual }
}

const JUMPED =
  'The wall clock of this machine jumped ahead by more than 60 s. Correct it, and the service goes on by itself; if it is right, restart the service.'

/**
 * Reads the clock of the cells, in ms. Throws Unavailable while the wall clock stands too far ahead of steady progress:
 * nothing is changed by that, so that it is followed again once it is corrected.
 */
export const clockOf = ({ offset, manual }: ClockCells): (() => Milliseconds) => {
  const sources = sourcesOf(manual)
  const cells = new BigInt64Array(offset)

  /** What the offset may grow to without the time asleep, by what it was before the last steps. */
  const limitAt = (monotonic: Milliseconds, accepted: bigint): number => {
    if (monotonic - Number(Atomics.load(cells, 2)) >= CLOCK_STEPS_MS) {
      Atomics.store(cells, 1, accepted - BigInt(sources.asleep()))
      Atomics.store(cells, 2, BigInt(monotonic))
    }
    return Number(Atomics.load(cells, 1)) + CLOCK_OFF_MS_MAX
  }

  return () => {
    // The wall clock first: a thread that is held up between the two readings must not take its pause for a step ahead.
    const wall = sources.wall()
    const monotonic = sources.monotonic()
    const wanted = BigInt(wall - monotonic)
    let current = Atomics.load(cells, 0)
    if (wanted > current) {
      const limit = limitAt(monotonic, current)
      if (Number(wanted) > limit && Number(wanted) > limit + sources.asleep()) {
        throw new Unavailable(JUMPED)
      }
      while (wanted > current) {
        const seen = Atomics.compareExchange(cells, 0, current, wanted)
        if (seen === current) current = wanted
        else current = seen
      }
    }
    return monotonic + Number(current)
  }
}
