// The limits of an agent: how many tokens it may get in a minute and in a day, and how many may be alive at once.

// Bounds of requests that belong to one operation.

export const IDEMPOTENCY_KEY_CHARACTERS_MAX = 255

/** Agents of one request: all are imported in one transaction. */
export const IMPORTED_AGENTS_MAX = 100

/** The size of an import request. An agent with the most that it may have takes some 40 KiB. */
export const IMPORT_BYTES_MAX = 1_048_576

/** The number of values in an import request. An agent with the most that it may have has some 1,000. */
export const IMPORT_VALUES_MAX = 20_000

/** What happens at the ceiling of live tokens: the request is refused, or the agent's oldest token ends for it. */
export const AT_LIVE_TOKENS_MAX = ['refuse', 'supersede'] as const

export type AtLiveTokensMax = (typeof AT_LIVE_TOKENS_MAX)[number]

/** The limits of an agent; null where there is none. */
export type AgentLimits = {
  readonly tokensPerMinute: number | null
  readonly tokensPerDay: number | null
  readonly liveTokensMax: number | null
  readonly atLiveTokensMax: AtLiveTokensMax
}

export type LimitName = 'tokensPerMinute' | 'tokensPerDay' | 'liveTokensMax'

export const NO_LIMITS: AgentLimits = {
  tokensPerMinute: null,
  tokensPerDay: null,
  liveTokensMax: null,
  atLiveTokensMax: 'refuse',
}

/** The most that a limit may be set to; the least is 1. Live tokens are remembered one by one, so there the bound is lower. */
export const LIMIT_BOUNDS: Readonly<Record<LimitName, number>> = {
  tokensPerMinute: 1_000_000,
  tokensPerDay: 100_000_000,
  liveTokensMax: 10_000,
}

/** The limits of the agent; null where it has none. */
export const limitsOf = ({
  tokensPerMinute,
  tokensPerDay,
  liveTokensMax,
  atLiveTokensMax,
}: AgentLimits): AgentLimits | null =>
  tokensPerMinute === null && tokensPerDay === null && liveTokensMax === null
    ? null
    : { tokensPerMinute, tokensPerDay, liveTokensMax, atLiveTokensMax }

export const LIFETIME_SECONDS_MAX = 86_400
