// Reads the head of the revocation feed for all who ask meanwhile, by one statement that waits for the standby: a primary that was
// deposed confirms nothing. Another timeline is another epoch, since a fail-over may have lost what no caller saw acknowledged.
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { FeedHead } from '../../../ports/revocation-feed.ts'
import type { FeedParts } from '../../feed/revocation-feed.ts'
import { FEED_COLUMNS, type FeedRow, headOf } from '../../feed/read-feed.ts'
import { LATE, type Lease } from '../../lease.ts'
import { only } from '../../statement-program.ts'
import { timeRead } from '../../time-read.ts'
import type { Answered } from '../connection/connection.ts'
import { TIMELINE } from '../connection/fail-overs.ts'
import type { Session } from '../connection/session.ts'
import { askFenced, momentOf, SERVICE } from './batched-lookup.ts'
import { makeBatches } from './batches.ts'

/** The batches in flight: all callers that wait share the next one. */
const IN_FLIGHT_MAX = 1
const TOGETHER_MAX = 16_384

export const headStatement = (fence: string): string => `select ${SERVICE}, ${FEED_COLUMNS}, ${TIMELINE} as timeline,
  case when ${fence} then pg_logical_emit_message(true, 'mintmark', '') end as fenced from service`

const suffixOf = (timeline: string): string => `.${timeline}`

/** Returns the suffix for the snapshot of a page. */
export const timelineSuffix: FeedParts['epochSuffix'] = function* () {
  return suffixOf((yield* only<{ timeline: string }>(`select ${TIMELINE} as timeline`)).timeline)
}

type Row = FeedRow & { readonly timeline: string }

export type FeedReadParts = {
  readonly lease: Lease
  readonly deadline: () => MonotonicMilliseconds
  readonly metrics: Metrics
}

/** The head in an answer to the statement above; LATE where the lease does not cover its time. */
export const headIn = (answered: Answered, session: Session, lease: Lease): FeedHead | typeof LATE => {
  const { service, now } = momentOf(answered, session)
  const [row] = answered.rows as readonly [Row] // momentOf found it
  return lease.covers(now, service.clockLease) ? headOf(row, suffixOf(row.timeline), now) : LATE
}

export const makeReadFeedHead = (
  session: Session,
  { lease, deadline, metrics }: FeedReadParts,
): (() => Promise<FeedHead>) => {
  const asked = { text: headStatement(session.fence), name: 'feed_head' }
  const ask = makeBatches<null, FeedHead | typeof LATE>({
    pool: session.pool,
    inFlightMax: IN_FLIGHT_MAX,
    sizeMax: TOGETHER_MAX,
    send: async (connection, batch) => {
      const answered = await timeRead(metrics, 'snapshot', askFenced(session.transactions, connection, asked))
      const head = headIn(answered, session, lease)
      return batch.map(() => head)
    },
  })
  return () => lease.answer(() => ask(null, deadline()))
}
