// Hands over what a thread has counted in memory, now and then and a piece at a time: nobody waits for it, and an act waits for
// one piece at most. What the store does not take waits in memory, as few counts as before.
import { Unavailable } from '../domain/refusal.ts'
import type { Timing } from '../ports/timing.ts'
import type { BackgroundTask, OnFault } from './background.ts'

export type HandOver = {
  /** Starts the pause before the next hand-over, unless one has begun. */
  readonly wake: () => void
  /** Hands over everything now. Never rejects. */
  readonly settle: () => Promise<void>
}

/** What a counter passes to its hand-over, beside its counts. */
export type HandOverOptions<Count> = {
  /** Writes counts. Where it throws Unavailable they wait for the next time; on another fault they are lost. */
  readonly handOver: (counts: readonly Count[]) => Promise<unknown>
  readonly onFault: OnFault
  readonly timing: Pick<Timing, 'handOverMs'>
}

type Counts<Count> = HandOverOptions<Count> & {
  readonly task: BackgroundTask
  /** Counts in a piece, at most. */
  readonly together: number
  /** Takes all counts out of memory. */
  readonly take: () => readonly Count[]
  /** Adds again what the store did not take. */
  readonly keep: (count: Count) => void
  readonly isEmpty: () => boolean
}

/** Hands over all of them, piece by piece. Never rejects. */
const makeHandAll = <Count>({ handOver, onFault, task, together, keep }: Counts<Count>) => {
  /** Whether the store could be had. */
  const handOrKeep = async (counts: readonly Count[]): Promise<boolean> => {
    try {
      await handOver(counts)
      return true
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault
      // Whether they were written is then unknown: a count may be too high, never too low.
      counts.forEach(keep)
      return false
    }
  }

  /** Writes counts together; after a fault each by itself, so that only the one that causes the fault is lost. */
  const handPiece = async (counts: readonly Count[]): Promise<boolean> => {
    try {
      return await handOrKeep(counts)
    } catch (fault) {
      if (counts.length === 1) onFault(task, fault)
      else for (const one of counts) await handPiece([one])
      return true
    }
  }

  return async (counts: readonly Count[]): Promise<void> => {
    for (let from = 0; from < counts.length; from += together) {
      if (await handPiece(counts.slice(from, from + together))) continue
      counts.slice(from + together).forEach(keep)
      return
    }
  }
}

export const makeHandOver = <Count>(counts: Counts<Count>): HandOver => {
  const { timing, take, isEmpty } = counts
  const handAll = makeHandAll(counts)
  let timer: NodeJS.Timeout | undefined
  let handing: Promise<void> | undefined

  const turn = async (): Promise<void> => {
    timer = undefined
    handing = handAll(take())
    await handing
    handing = undefined
    if (!isEmpty()) wake()
  }

  const wake = (): void => {
    if (handing === undefined) timer ??= setTimeout(() => void turn(), timing.handOverMs).unref()
  }

  return {
    wake,
    settle: async () => {
      clearTimeout(timer)
      timer = undefined
      await handing
      await handAll(take())
    },
  }
}
