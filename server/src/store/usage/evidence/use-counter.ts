// Counts where tokens are used in the memory of a serving thread: an introspection costs two look-ups in maps, and no write.
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { PositionReport } from '../../../domain/clients/verifier.ts'
import type { Inactive, UsageCounts } from '../../../ports/usage.ts'
import { type HandOverOptions, makeHandOver } from '../../hand-over.ts'
import { monotonicMs } from '../../clocks.ts'
import type { Ages, EndedUse, Whose } from './count-late-uses.ts'

/** Pairs of an agent and an API key that a thread counts at once; beyond it all are counted as one. */
const COUNTED_PAIRS_MAX = 1000
/** Tokens that were presented after their end, or may have been, that a thread remembers at once; others are counted as unknown. */
const PRESENTED_MAX = 500
/** The most such tokens of one API key. */
const PRESENTED_OF_KEY_MAX = 250
/** Followers whose uses a thread remembers at once; those of others come with their next report. */
const REPORTED_MAX = 500
/** An act waits for the rows of so many counts, some milliseconds. */
const TOGETHER_MAX = 64

export type Span = { readonly firstAt: MonotonicMilliseconds; readonly lastAt: MonotonicMilliseconds }

/** The count of an agent and API key. An empty agent id is an unknown agent; an empty API key id is any beyond the limit. */
export type PairCount = Span &
  Whose &
  Readonly<Record<'active' | 'inactive' | 'afterEnd', number>> & { readonly kind: 'pair' }

/** A token that had ended. */
export type EndedCount = Span & Omit<EndedUse, keyof Ages> & { readonly kind: 'ended' }

/** What may be a token that was ended and moved. */
export type UnfoundCount = Span & {
  readonly kind: 'unfound'
  readonly apiKeyId: string
  readonly presented: Extract<Inactive, { kind: 'unfound' }>
  readonly count: number
}

export type ReportedUses = Pick<PositionReport, 'apiKeyId' | 'name'> & {
  readonly kind: 'reported'
  readonly uses: NonNullable<PositionReport['uses']>
  readonly at: MonotonicMilliseconds
}

export type UseCount = PairCount | EndedCount | UnfoundCount | ReportedUses

export type UseCounter = Pick<UsageCounts, 'afterAnswers' | 'countActive' | 'countInactive' | 'countReported'> & {
  /** Hands over what it holds. Never rejects. */
  readonly settle: () => Promise<void>
}

type Changing<T> = { -readonly [Member in keyof T]: T[Member] }

/** A map of maps with a bound on all entries together, and on those of one API key. */
const makeByKey = <T extends { readonly apiKeyId: string }>(max: number, maxOfKey: number) => {
  let byKey = new Map<string, Map<string, T>>()
  let size = 0
  return {
    find: (apiKeyId: string, place: string): T | undefined => byKey.get(apiKeyId)?.get(place),
    /** Whether there was room. */
    add: (place: string, one: T): boolean => {
      const ofKey = byKey.get(one.apiKeyId) ?? new Map<string, T>()
      if (size >= max || ofKey.size >= maxOfKey) return false
      byKey.set(one.apiKeyId, ofKey.set(place, one))
      size += 1
      return true
    },
    take: (): readonly T[] => {
      const taken = [...byKey.values()].flatMap(ofKey => [...ofKey.values()])
      byKey = new Map()
      size = 0
      return taken
    },
    isEmpty: (): boolean => size === 0,
  }
}

const makePairs = (now: () => MonotonicMilliseconds) => {
  const pairs = makeByKey<Changing<PairCount>>(COUNTED_PAIRS_MAX, COUNTED_PAIRS_MAX)
  let others: Changing<PairCount> | undefined

  const newPair = (apiKeyId: string, agentId: string, isOutside: boolean): Changing<PairCount> => {
    const firstAt = now()
    const counts = { active: 0, inactive: 0, afterEnd: 0 }
    return { kind: 'pair', apiKeyId, agentId, isOutside, ...counts, firstAt, lastAt: firstAt }
  }

  return {
    of: (apiKeyId: string, agentId: string, isOutside: boolean): Changing<PairCount> => {
      const place = isOutside ? `${agentId} outside` : agentId
      const known = pairs.find(apiKeyId, place)
      if (known !== undefined) return known
      const added = newPair(apiKeyId, agentId, isOutside)
      return pairs.add(place, added) ? added : (others ??= newPair('', '', false))
    },
    take: (): readonly PairCount[] => {
      const taken = others === undefined ? pairs.take() : [...pairs.take(), others]
      others = undefined
      return taken
    },
    isEmpty: (): boolean => others === undefined && pairs.isEmpty(),
  }
}

type Presented = EndedCount | UnfoundCount

const placeOf = (one: Presented): string =>
  one.kind === 'ended' ? one.tokenId : `${one.presented.reference.id} ${one.presented.reference.digest}`

/** The counts of one kind of memory are gathered here, so that what the store did not take comes back the same way. */
const makeMemory = (now: () => MonotonicMilliseconds) => {
  const pairs = makePairs(now)
  const presented = makeByKey<Changing<Presented>>(PRESENTED_MAX, PRESENTED_OF_KEY_MAX)
  const reported = makeByKey<ReportedUses>(REPORTED_MAX, REPORTED_MAX)

  const addPair = (count: PairCount): void => {
    const pair = pairs.of(count.apiKeyId, count.agentId, count.isOutside)
    pair.active += count.active
    pair.inactive += count.inactive
    pair.afterEnd += count.afterEnd
    pair.firstAt = Math.min(pair.firstAt, count.firstAt)
    pair.lastAt = Math.max(pair.lastAt, count.lastAt)
  }

  /** Counts a presented token. Beyond the limit only its pair is counted, with the agent where that is known. */
  const addPresented = (one: Presented): void => {
    const known = presented.find(one.apiKeyId, placeOf(one))
    if (known !== undefined) {
      known.count += one.count
      known.firstAt = Math.min(known.firstAt, one.firstAt)
      known.lastAt = Math.max(known.lastAt, one.lastAt)
      return
    }
    if (presented.add(placeOf(one), { ...one })) return
    const { apiKeyId, count, firstAt, lastAt } = one
    const [agentId, isOutside, afterEnd] = one.kind === 'ended' ? [one.agentId, one.isOutside, count] : ['', false, 0]
    addPair({ kind: 'pair', apiKeyId, agentId, isOutside, active: 0, inactive: count, afterEnd, firstAt, lastAt })
  }

  const addReported = (one: ReportedUses): void => {
    const known = reported.find(one.apiKeyId, one.name)
    if (known === undefined) reported.add(one.name, one)
    else if (known.at <= one.at) Object.assign(known, one)
  }

  return {
    pairs,
    addPair,
    addPresented,
    addReported,
    take: (): readonly UseCount[] => [...pairs.take(), ...presented.take(), ...reported.take()],
    isEmpty: (): boolean => pairs.isEmpty() && presented.isEmpty() && reported.isEmpty(),
  }
}

/** Work for when the answers of a turn are out. */
const makeAfterwards = () => {
  let waiting: (() => void)[] = []
  const run = (): void => {
    const due = waiting
    waiting = []
    for (const work of due) work()
  }
  return {
    run,
    add: (work: () => void): void => {
      if (waiting.push(work) === 1) setImmediate(run)
    },
  }
}

export const makeUseCounter = (
  options: HandOverOptions<UseCount>,
  now: () => MonotonicMilliseconds = monotonicMs,
): UseCounter => {
  const memory = makeMemory(now)
  const afterwards = makeAfterwards()

  const keep = (count: UseCount): void => {
    if (count.kind === 'pair') memory.addPair(count)
    else if (count.kind === 'reported') memory.addReported(count)
    else memory.addPresented(count)
  }

  const { wake, settle } = makeHandOver<UseCount>({
    ...options,
    task: 'evidence of use',
    together: TOGETHER_MAX,
    take: () => {
      afterwards.run()
      return memory.take()
    },
    keep,
    isEmpty: memory.isEmpty,
  })

  const countPair = (apiKeyId: string, agentId: string, isOutside: boolean): Changing<PairCount> => {
    const pair = memory.pairs.of(apiKeyId, agentId, isOutside)
    pair.lastAt = now()
    wake()
    return pair
  }

  return {
    afterAnswers: afterwards.add,
    countActive: (apiKeyId, agentId) => {
      countPair(apiKeyId, agentId, false).active += 1
    },
    countInactive: (apiKeyId, inactive) => {
      if (inactive.kind === 'unknown') countPair(apiKeyId, '', false).inactive += 1
      else if (inactive.kind === 'outside') countPair(apiKeyId, inactive.agentId, true).inactive += 1
      else {
        const at = now()
        const seen = { apiKeyId, count: 1, firstAt: at, lastAt: at }
        memory.addPresented(
          inactive.kind === 'ended' ? { ...inactive, ...seen } : { kind: 'unfound', presented: inactive, ...seen },
        )
        wake()
      }
    },
    countReported: ({ apiKeyId, name, uses }) => {
      if (uses === null) return
      memory.addReported({ kind: 'reported', apiKeyId, name, uses, at: now() })
      wake()
    },
    settle,
  }
}
