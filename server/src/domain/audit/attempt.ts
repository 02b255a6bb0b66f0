// Refused attempts to authenticate, or to exceed a limit of an agent: how they are counted, and the filters of the counts.
import type { Way } from '../../../../api/values/audit.ts'
import { formatTime, type Milliseconds } from '../../../../api/values/time.ts'
import { agentMembers, type WithNames } from '../lists/names.ts'

/** An attempt that was refused. */
export type Attempt = {
  readonly way: Way
  /** The id of an existing client, else null: any other text may be a secret in the wrong field. */
  readonly clientId: string | null
}

/** Distinct combinations of attempt and address counted separately in one minute; the rest are counted together for each `way`. */
export const REFUSALS_A_MINUTE_MAX = 100

export type RefusalCount = Attempt &
  Pick<WithNames, 'names'> & {
    readonly number: number
    /** The beginning of the minute. */
    readonly minute: Milliseconds
    /** Null for the sources that were not counted separately. */
    readonly source: string | null
    readonly count: number
  }

/** A filter that is null is not set; `since` is inclusive, `before` exclusive. */
export type RefusalFilters = {
  readonly way: Way | null
  readonly clientId: string | null
  readonly source: string | null
  readonly since: Milliseconds | null
  readonly before: Milliseconds | null
}

/** The JSON of a count, over HTTP and on the command line. */
export const refusalRecord = ({ minute, way, clientId, source, count, names }: RefusalCount) => ({
  minute: formatTime(minute),
  way,
  client_id: clientId,
  source,
  count,
  ...agentMembers({ clientId, names }),
})
