// How much of the service an agent uses, as operators see it who look for the one that runs away.
import { formatTimeOrNull, type Milliseconds } from '../../../../api/values/time.ts'
import type { Count } from './credential.ts'

export type AgentState = 'active' | 'disabled' | 'deleted'

/** What an agent asked for of late. The slot of time in which a window begins counts in proportion, rounded up. */
export type AgentActivity = {
  readonly tokensLastMinute: number
  readonly tokensLastHour: number
  readonly tokensLastDay: number
  /** Token requests in the last hour that were refused although the agent was authenticated. */
  readonly refusals: number
  /** Null if the agent got no token in the last day. */
  readonly lastIssuedAt: Milliseconds | null
}

export type AgentUsage = AgentActivity & {
  readonly agentId: string
  readonly name: string
  readonly owner: string | null
  readonly state: AgentState
  readonly liveTokens: Count
  /** To the minute; null if none of its credentials was ever used for a token. */
  readonly lastUsedAt: Milliseconds | null
}

/** A window of time, the slots in which it is counted, and how long after its end a slot is kept. */
export type UsageWindow = { readonly slotMs: number; readonly windowMs: number; readonly keptMs: number }

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * Windows with so few rows for an agent that all agents are summed at once: at most 2, 13 and 25. Minutes are kept for longer than their window:
 * series show them one by one.
 */
export const USAGE_WINDOWS = {
  minute: { slotMs: MINUTE_MS, windowMs: MINUTE_MS, keptMs: HOUR_MS },
  hour: { slotMs: 5 * MINUTE_MS, windowMs: HOUR_MS, keptMs: HOUR_MS },
  day: { slotMs: HOUR_MS, windowMs: 24 * HOUR_MS, keptMs: 24 * HOUR_MS },
} as const satisfies Readonly<Record<string, UsageWindow>>

/** The beginning of the slot of an instant. */
export const slotOf = ({ slotMs }: UsageWindow, at: Milliseconds): Milliseconds => slotMs * Math.floor(at / slotMs)

/** A sum over a window that ends `now`: `cut` is what the slot holds in which it begins, `whole` what all later ones hold. */
export const sumInWindow = (
  { slotMs, windowMs }: UsageWindow,
  now: Milliseconds,
  { whole, cut }: { readonly whole: number; readonly cut: number },
): number => {
  const share = 1 - ((now - windowMs) % slotMs) / slotMs
  return whole + Math.ceil(cut * share)
}

/** Most tokens of the last minute first, of equals those of the last hour, then of the last day; then the one that issued last. */
export const compareActivity = (a: AgentActivity, b: AgentActivity): number =>
  b.tokensLastMinute - a.tokensLastMinute ||
  b.tokensLastHour - a.tokensLastHour ||
  b.tokensLastDay - a.tokensLastDay ||
  (b.lastIssuedAt ?? 0) - (a.lastIssuedAt ?? 0)

/** The JSON of an agent's usage, over HTTP and on the command line. */
export const usageRecord = (usage: AgentUsage) => ({
  agent_id: usage.agentId,
  name: usage.name,
  owner: usage.owner,
  state: usage.state,
  tokens_last_minute: usage.tokensLastMinute,
  tokens_last_hour: usage.tokensLastHour,
  tokens_last_day: usage.tokensLastDay,
  live_tokens: { count: usage.liveTokens.count, exact: usage.liveTokens.isExact },
  refusals: usage.refusals,
  last_issued_at: formatTimeOrNull(usage.lastIssuedAt),
  last_used_at: formatTimeOrNull(usage.lastUsedAt),
})
