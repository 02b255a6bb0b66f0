// Counts refused authentications in the memory of a serving thread, and hands the counts over now and then: a million
// wrong secrets are a few rows, and none stands in front of an act.
import { type Attempt, REFUSALS_A_MINUTE_MAX } from '../../domain/audit/attempt.ts'
import type { Source } from '../../domain/source.ts'
import { type HandOverOptions, makeHandOver } from '../hand-over.ts'
import type { Refused } from './refusals.ts'

/** A caller's act waits for one hand-over, on PostgreSQL for some statements of each count, and for no more. */
const TOGETHER_MAX = 32

type RefusalCounter = {
  readonly count: (attempt: Attempt, source: Source) => void
  /** Hands over what it holds. Never rejects. */
  readonly settle: () => Promise<void>
}

const keyOf = ({ way, client, source }: Refused): string => JSON.stringify([way, client, source])

export const makeRefusalCounter = (options: HandOverOptions<Refused>): RefusalCounter => {
  let counts = new Map<string, Refused>()

  const add = (one: Refused): void => {
    const key = keyOf(one)
    const known = counts.get(key)
    if (known !== undefined) counts.set(key, { ...known, count: known.count + one.count })
    else if (counts.size < REFUSALS_A_MINUTE_MAX || one.source === '') counts.set(key, one)
    else add({ ...one, client: '', source: '' })
  }

  const take = (): readonly Refused[] => {
    const taken = [...counts.values()]
    counts = new Map()
    return taken
  }

  const { wake, settle } = makeHandOver<Refused>({
    ...options,
    task: 'refusal counts',
    together: TOGETHER_MAX,
    take,
    keep: add,
    isEmpty: () => counts.size === 0,
  })

  return {
    count: ({ way, clientId }, source) => {
      add({ way, client: clientId ?? '', source, count: 1 })
      wake()
    },
    settle,
  }
}
