// Refused attempts to authenticate, and to get more tokens than an agent may: what is counted of them, and what the counts
// are asked for.
import type { Way } from '../../../../api/values/audit.ts'
import { formatTime, type Milliseconds } from '../../../../api/values/time.ts'

/** An attempt that was refused. */
export type Attempt = {
  readonly way: Way
  /** Only of a client that exists: any other text may be a secret that was pasted in the wrong field. */
  readonly clientId: string | null
}

/** Distinct attempts and addresses that are counted apart in one minute; all beyond are counted as one a way. */
export const REFUSALS_A_MINUTE_MAX = 100

export type RefusalCount = Attempt & {
  readonly number: number
  /** The beginning of the minute. */
  readonly minute: Milliseconds
  /** Null for those that were not counted apart. */
  readonly source: string | null
  readonly count: number
}

/** Null asks nothing; `since` is inclusive, `before` exclusive. */
export type RefusalFilters = {
  readonly way: Way | null
  readonly clientId: string | null
  readonly source: string | null
  readonly since: Milliseconds | null
  readonly before: Milliseconds | null
}

/** As JSON, over HTTP and at the terminal. */
export const refusalRecord = ({ minute, way, clientId, source, count }: RefusalCount) => ({
  minute: formatTime(minute),
  way,
  client_id: clientId,
  source,
  count,
})
