// Counts refused authentications in the memory of a serving thread, and hands the counts over now and then: a million
// wrong secrets are a few rows, and none stands in front of an act.
import { type Attempt, REFUSALS_A_MINUTE_MAX } from '../../domain/attempt.ts'
import { Unavailable } from '../../domain/refusal.ts'
import type { Refused } from './refusals.ts'

const PAUSE_MS = 1000

type RefusalCounter = {
  readonly count: (attempt: Attempt, source: string) => void
  /** Hands over what it holds. */
  readonly settle: () => Promise<void>
}

const keyOf = ({ way, client, source }: Refused): string => JSON.stringify([way, client, source])

/** `handOver` writes counts. Where the store cannot be had they wait, as few as before. */
export const makeRefusalCounter = (
  handOver: (refused: readonly Refused[]) => Promise<unknown>,
  pauseMs = PAUSE_MS,
): RefusalCounter => {
  let counts = new Map<string, Refused>()
  let timer: NodeJS.Timeout | undefined
  let handing: Promise<void> | undefined

  const add = (one: Refused): void => {
    const key = keyOf(one)
    const known = counts.get(key)
    if (known !== undefined) counts.set(key, { ...known, count: known.count + one.count })
    else if (counts.size < REFUSALS_A_MINUTE_MAX || one.source === '') counts.set(key, one)
    else add({ ...one, client: '', source: '' })
  }

  const hand = async (): Promise<void> => {
    const handed = [...counts.values()]
    counts = new Map()
    try {
      if (handed.length > 0) await handOver(handed)
    } catch (fault) {
      // Whether they were written is then unknown: a count may be too high, never too low.
      if (!(fault instanceof Unavailable)) throw fault
      handed.forEach(add)
    } finally {
      handing = undefined
      if (counts.size > 0) wait()
    }
  }

  const wait = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined
      handing ??= hand()
    }, pauseMs).unref()
  }

  return {
    count: ({ way, clientId }, source) => {
      add({ way, client: clientId ?? '', source, count: 1 })
      if (handing === undefined) wait()
    },
    settle: async () => {
      await handing
      clearTimeout(timer)
      await hand()
      clearTimeout(timer)
    },
  }
}
