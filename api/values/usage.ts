// Evidence of use: what bounds it, and how long it is kept.

/** Pairs of an agent and an API key that a minute has rows for; all others of the minute are one row. */
export const PAIRS_A_MINUTE_MAX = 100

/** Tokens, each by API key, of which a minute begins to say that they were presented after their end. */
export const ENDED_A_MINUTE_MAX = 100

/** Those of them that had only expired: a client that is late must not hide one that goes on after a revocation. */
export const EXPIRED_A_MINUTE_MAX = 50

export const USES_KEPT_DAYS = 30

/** Pairs of an agent and a reason of refusals that a slot of time has rows for; of all others one row for each reason. */
export const REFUSAL_ROWS_A_SLOT_MAX = 200

/** Windows of the series over time, and the length of a point of each. */
export const SERIES_WINDOWS = {
  '1h': { pointSeconds: 60, seconds: 3600 },
  '24h': { pointSeconds: 3600, seconds: 86_400 },
} as const

export type SeriesWindow = keyof typeof SERIES_WINDOWS

export const SERIES_WINDOW_NAMES = ['1h', '24h'] as const satisfies readonly SeriesWindow[]

/** Rows of ended tokens that one series counts. */
export const SERIES_ENDS_MAX = 100_000
