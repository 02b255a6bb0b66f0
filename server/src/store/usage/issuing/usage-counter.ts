// Counts what agents get and are refused in the memory of a serving thread: an issued token costs a look-up in a map, and no write.
import { issuedAtOf } from '../../../domain/ledger/claims.ts'
import { type HandOverOptions, makeHandOver } from '../../hand-over.ts'
import type { RefusalReason } from '../../../domain/refusal-reasons.ts'
import { NO_AGENT } from './count-reasons.ts'
import type { UsageCount } from './count-usage.ts'

/** Agents that a thread counts at once; others are counted as lost until the store has taken these. */
const COUNTED_AGENTS_MAX = 20_000
/** An act waits for the rows of so many agents, some milliseconds. */
const TOGETHER_MAX = 64

type Counted = {
  issued: number
  refused: number
  lastTokenId: string | null
  lastAt: number
  /** Null until something is refused. */
  reasons: Map<RefusalReason, number> | null
}

const countOf = ([agent, { issued, refused, lastTokenId, lastAt, reasons }]: readonly [
  number,
  Counted,
]): UsageCount => ({
  agent,
  issued,
  refused,
  lastAt: Math.max(lastAt, lastTokenId === null ? 0 : issuedAtOf(lastTokenId)),
  reasons: Array.from(reasons ?? [], ([reason, count]) => ({ reason, count })),
})

const addReason = (entry: Counted, reason: RefusalReason, count: number): void => {
  entry.reasons ??= new Map()
  entry.reasons.set(reason, count + (entry.reasons.get(reason) ?? 0))
}

export const makeUsageCounter = (options: HandOverOptions<UsageCount>) => {
  let counts = new Map<number, Counted>()
  let lost = 0

  const entryOf = (agent: number): Counted | undefined => {
    const known = counts.get(agent)
    if (known !== undefined) return known
    if (counts.size >= COUNTED_AGENTS_MAX) {
      lost += 1
      return undefined
    }
    const added: Counted = { issued: 0, refused: 0, lastTokenId: null, lastAt: 0, reasons: null }
    counts.set(agent, added)
    return added
  }

  const keep = ({ agent, issued, refused, lastAt, reasons }: UsageCount): void => {
    const entry = entryOf(agent)
    if (entry === undefined) return
    entry.issued += issued
    entry.refused += refused
    entry.lastAt = Math.max(entry.lastAt, lastAt)
    for (const { reason, count } of reasons) addReason(entry, reason, count)
  }

  const take = (): readonly UsageCount[] => {
    // In one order: two processes that write the same agents wait for each other and never deadlock.
    const taken = [...counts].map(countOf).toSorted((a, b) => a.agent - b.agent)
    counts = new Map()
    if (lost > 0) options.onFault('usage counts', new Error(`The usage of ${lost} requests was not counted.`))
    lost = 0
    return taken
  }

  const { wake, settle } = makeHandOver<UsageCount>({
    ...options,
    task: 'usage counts',
    together: TOGETHER_MAX,
    take,
    keep,
    isEmpty: () => counts.size === 0,
  })

  return {
    issued: (agent: number, tokenId: string): void => {
      const entry = entryOf(agent)
      if (entry === undefined) return
      entry.issued += 1
      entry.lastTokenId = tokenId
      wake()
    },
    /** `agent` is null for what a limit of the service turned away. */
    refused: (agent: number | null, reason: RefusalReason): void => {
      const entry = entryOf(agent ?? NO_AGENT)
      if (entry === undefined) return
      entry.refused += 1
      addReason(entry, reason, 1)
      wake()
    },
    /** Hands over what it holds. Never rejects. */
    settle,
  }
}
