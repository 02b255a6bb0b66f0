// Serves many followers one after another, and leaves nearly all of the thread's time to others.
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import type { Timing } from '../../../ports/timing.ts'

/** The share of a thread's time that followers take at most. */
const SHARE = 0.1

/** The time that may be taken now. */
const makeBudget = (savedMsMax: number) => {
  let savedMs = savedMsMax
  let countedAt = performance.now()
  return {
    /** Notes what was taken; returns for how long nothing may be taken. */
    take: (takenMs: number): number => {
      const now = performance.now()
      savedMs = Math.min(savedMsMax, savedMs + SHARE * (now - countedAt)) - takenMs
      countedAt = now
      return Math.max(0, -savedMs / SHARE)
    },
  }
}

/**
 * Returns a function that has each member served soon, once, however often it is called meanwhile. `serve` must not throw,
 * and writes before it returns: what it does later is not measured.
 */
export const makeFlush = <Member>(
  members: ReadonlySet<Member>,
  serve: (member: Member) => void,
  { followerTurnMs, followerSavedMs }: Pick<Timing, 'followerTurnMs' | 'followerSavedMs'>,
): (() => void) => {
  const budget = makeBudget(followerSavedMs)
  let isWanted = false
  let isRunning = false

  const rest = async (beganAt: number): Promise<void> => {
    const pauseMs = budget.take(performance.now() - beganAt)
    if (pauseMs > 0) await delay(pauseMs, undefined, { ref: false })
    else await nextTurn()
  }

  const serveAll = async (): Promise<void> => {
    let beganAt = performance.now()
    // A set may change while it is gone through: a new follower is served too, one that has gone is not.
    for (const member of members) {
      serve(member)
      if (performance.now() - beganAt < followerTurnMs) continue
      await rest(beganAt)
      beganAt = performance.now()
    }
    await rest(beganAt)
  }

  const run = async (): Promise<void> => {
    isRunning = true
    while (isWanted) {
      isWanted = false
      await serveAll()
    }
    isRunning = false
  }

  return () => {
    isWanted = true
    if (!isRunning) void run()
  }
}
