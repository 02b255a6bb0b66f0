// Counts refused authentications in the memory of a serving thread, and hands the counts over now and then: a million
// wrong secrets are a few rows, and none stands in front of an act.
import { type Attempt, REFUSALS_A_MINUTE_MAX } from '../../domain/audit/attempt.ts'
import { Unavailable } from '../../domain/refusal.ts'
import type { Source } from '../../domain/source.ts'
import type { OnFault } from '../background.ts'
import type { Refused } from './refusals.ts'

const PAUSE_MS = 1000
/** A caller's act waits for one hand-over, on PostgreSQL for some statements of each count, and for no more. */
const TOGETHER_MAX = 32

type RefusalCounter = {
  readonly count: (attempt: Attempt, source: Source) => void
  /** Hands over what it holds. Never rejects. */
  readonly settle: () => Promise<void>
}

type CounterOptions = {
  /** Writes counts. Where the store cannot be had they wait, as few as before. */
  readonly handOver: (refused: readonly Refused[]) => Promise<unknown>
  readonly onFault: OnFault
  readonly pauseMs?: number
}

const keyOf = ({ way, client, source }: Refused): string => JSON.stringify([way, client, source])

/** Hands counts over, a few at a time; `keep` takes back what the store did not take. Never rejects. */
const makeHandOver = ({ handOver, onFault }: CounterOptions, keep: (one: Refused) => void) => {
  /** Whether the store could be had. */
  const handOrKeep = async (refused: readonly Refused[]): Promise<boolean> => {
    try {
      await handOver(refused)
      return true
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault
      // Whether they were written is then unknown: a count may be too high, never too low.
      refused.forEach(keep)
      return false
    }
  }

  /** Together; where that is a fault each by itself, so that only the one that causes it is lost. */
  const handPiece = async (refused: readonly Refused[]): Promise<boolean> => {
    try {
      return await handOrKeep(refused)
    } catch (fault) {
      if (refused.length === 1) onFault('refusal counts', fault)
      else for (const one of refused) await handPiece([one])
      return true
    }
  }

  return async (refused: readonly Refused[]): Promise<void> => {
    for (let from = 0; from < refused.length; from += TOGETHER_MAX) {
      if (await handPiece(refused.slice(from, from + TOGETHER_MAX))) continue
      refused.slice(from + TOGETHER_MAX).forEach(keep)
      return
    }
  }
}

export const makeRefusalCounter = (options: CounterOptions): RefusalCounter => {
  const { pauseMs = PAUSE_MS } = options
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

  const handAll = makeHandOver(options, add)

  const hand = async (): Promise<void> => {
    const handed = [...counts.values()]
    counts = new Map()
    await handAll(handed)
  }

  const turn = async (): Promise<void> => {
    timer = undefined
    handing = hand()
    await handing
    handing = undefined
    if (counts.size > 0) wait()
  }

  const wait = (): void => {
    timer ??= setTimeout(() => void turn(), pauseMs).unref()
  }

  return {
    count: ({ way, clientId }, source) => {
      add({ way, client: clientId ?? '', source, count: 1 })
      if (handing === undefined) wait()
    },
    settle: async () => {
      clearTimeout(timer)
      timer = undefined
      await handing
      await hand()
    },
  }
}
