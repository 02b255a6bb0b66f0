// Holds the new tokens of a group to the limits of their agents, inside the transaction that writes them. No other writes
// for the same agent meanwhile, so the grant is exact for every caller, thread and process.
import type { Act } from '../../domain/audit/act.ts'
import type { AgentLimits } from '../../../../api/values/limits.ts'
import { countIssued, DAY_WINDOW, earliestIssue, MINUTE_WINDOW } from '../../domain/ledger/rate.ts'
import type { Milliseconds, Seconds } from '../../../../api/values/time.ts'
import type { LimitReached } from '../../ports/ports.ts'
import { idOfBytes } from '../rows.ts'
import type { Program } from '../statement-program.ts'
import { recordAct, type Transaction } from '../transaction.ts'
import { endRows } from './end-tokens.ts'
import { type IssueCounts, readIssueCounts, writeIssueCounts } from './issue-counts.ts'
import { readLiveExpiries, readLiveRows } from './live-rows.ts'
import { expiryOf, issuedAtIn, type TokenRow } from './token-rows.ts'

/** What of a new token its agent's limits depend on. */
export type LimitedToken = Pick<TokenRow, 'agent' | 'id' | 'life'> & {
  /** `new` is one that the store does not know yet. */
  readonly principal: TokenRow['principal'] | 'new'
}

/** The ids of the ancestors that a new token will have. */
type Above = readonly { readonly id: string }[]

const SUPERSEDE: Act = {
  kind: 'token.supersede',
  actor: { type: 'system' },
  note: null,
  requestId: null,
  source: null,
}

export type QuotaCheck = {
  /**
   * The limit that the token would exceed. Where its agent is so configured, ends what is too much instead, but none of the
   * token's ancestors: it would be dead with them.
   */
  readonly check: (token: LimitedToken, above: Above) => Program<LimitReached | undefined>
  /** Counts a token that was written. */
  readonly count: (token: Omit<LimitedToken, 'principal'>) => Program<void>
  /** Writes the counts, once for the group. */
  readonly settle: () => Program<void>
}

/** When a limit would let a token pass. */
type Wait = { readonly limit: LimitReached['limit']; readonly until: Milliseconds }

const isRateLimited = ({ tokensPerMinute, tokensPerDay }: AgentLimits): boolean =>
  tokensPerMinute !== null || tokensPerDay !== null

const rateWaits = (limits: AgentLimits, counts: IssueCounts, at: Milliseconds): readonly Wait[] => {
  const { tokensPerMinute: minute, tokensPerDay: day } = limits
  const waits: Wait[] = []
  if (minute !== null) {
    waits.push({ limit: 'tokensPerMinute', until: earliestIssue(counts.minute, minute, MINUTE_WINDOW, at) })
  }
  if (day !== null) waits.push({ limit: 'tokensPerDay', until: earliestIssue(counts.day, day, DAY_WINDOW, at) })
  return waits.filter(({ until }) => until > at)
}

/** What must end to make room for a token. */
type Excess = Pick<LimitedToken, 'agent' | 'principal'> & { readonly rowsMax: number; readonly above: Above }

/** Returns so many of the agent's live tokens for the same principal, the oldest first; fewer if they cannot be found. */
function* findOldest(tx: Transaction, { agent, principal, rowsMax, above }: Excess): Program<readonly TokenRow[]> {
  if (principal === 'new') return []
  const kept = new Set(above.map(({ id }) => id))
  const { rows } = yield* readLiveRows(tx, { agent, of: { oldestFor: principal }, rowsMax: rowsMax + kept.size })
  return rows.filter(({ id }) => !kept.has(idOfBytes(id))).slice(0, rowsMax)
}

const SECOND_MS = 1000

/** The one that lasts longest: before it has passed no token would be granted. */
const reachedBy = (waits: readonly Wait[], now: Milliseconds): LimitReached | undefined => {
  const last = waits.toSorted((a, b) => a.until - b.until).at(-1)
  if (last === undefined) return undefined
  return { limit: last.limit, retryAfterSeconds: Math.max(1, Math.ceil((last.until - now) / SECOND_MS)) }
}

export const makeQuotaCheck = (tx: Transaction, limitsByAgent: ReadonlyMap<number, AgentLimits>): QuotaCheck => {
  const countsByAgent = new Map<number, IssueCounts>()
  const changed = new Set<number>()
  let act: number | undefined

  function* actOnce(): Program<number> {
    act ??= yield* recordAct(tx, SUPERSEDE)
    return act
  }

  function* countsOf(agent: number): Program<IssueCounts> {
    const counts = countsByAgent.get(agent) ?? (yield* readIssueCounts(agent))
    countsByAgent.set(agent, counts)
    return counts
  }

  const expiriesOf = (agent: number, max: number): Program<readonly Seconds[]> =>
    tx.live.expiriesOf(agent, tx.now, recountAt => readLiveExpiries(tx, agent, { max, recountAt }))

  function* liveWaits(agent: number, { liveTokensMax: max }: AgentLimits): Program<readonly Wait[]> {
    if (max === null) return []
    const expiries = yield* expiriesOf(agent, max)
    const expiry = expiries.length < max ? undefined : expiries[expiries.length - max]
    return expiry === undefined ? [] : [{ limit: 'liveTokensMax', until: SECOND_MS * expiry }]
  }

  function* makeRoom(
    { agent, principal }: LimitedToken,
    limits: AgentLimits,
    above: Above,
  ): Program<LimitReached | undefined> {
    const { liveTokensMax: max } = limits
    const rowsMax = max === null ? 0 : (yield* expiriesOf(agent, max)).length - max + 1
    if (rowsMax <= 0) return undefined
    const oldest = yield* findOldest(tx, { agent, principal, rowsMax, above })
    if (oldest.length < rowsMax) return reachedBy(yield* liveWaits(agent, limits), tx.now)
    yield* endRows(tx, oldest, { reason: 'superseded', act: yield* actOnce() })
    return undefined
  }

  return {
    check: function* (token, above) {
      const { agent, id } = token
      const limits = limitsByAgent.get(agent)
      if (limits === undefined) return undefined
      const rates = isRateLimited(limits) ? rateWaits(limits, yield* countsOf(agent), issuedAtIn(id)) : []
      const supersedes = limits.atLiveTokensMax === 'supersede'
      const reached = reachedBy(supersedes ? rates : [...rates, ...(yield* liveWaits(agent, limits))], tx.now)
      return reached ?? (supersedes ? yield* makeRoom(token, limits, above) : undefined)
    },
    count: function* ({ agent, id, life }) {
      const limits = limitsByAgent.get(agent)
      if (limits === undefined) return
      tx.live.wasInserted(agent, expiryOf({ id, life }))
      if (!isRateLimited(limits)) return
      const { minute, day } = yield* countsOf(agent)
      const at = issuedAtIn(id)
      countsByAgent.set(agent, {
        minute: countIssued(minute, MINUTE_WINDOW, at),
        day: countIssued(day, DAY_WINDOW, at),
      })
      changed.add(agent)
    },
    settle: function* () {
      for (const agent of changed) yield* writeIssueCounts(agent, yield* countsOf(agent))
    },
  }
}
