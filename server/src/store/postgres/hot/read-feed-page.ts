// Reads a few facts of the revocation feed and its head by one statement: what is new, for those who wait for it.
import type { FeedPage, FeedRange } from '../../../ports/revocation-feed.ts'
import { FACT_COLUMNS, type FactRow, type FeedParts, pageOfRows, FEED_COLUMNS, headOf } from '../../feed/read-feed.ts'
import { LATE, type Lease } from '../../lease.ts'
import { timeRead } from '../../time-read.ts'
import type { Connection, Answered } from '../connection/connection.ts'
import type { Session } from '../connection/session.ts'
import { askFenced, momentOf, SERVICE } from './batched-lookup.ts'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { FeedHead, FeedPosition } from '../../../../../api/values/feed.ts'
import { only } from '../../statement-program.ts'
import { TIMELINE } from '../connection/fail-overs.ts'
import { makeShared } from './batches.ts'

// Reads the head of the revocation feed for all who ask meanwhile, by one statement that waits for the standby: a primary that was
// deposed confirms nothing. Another timeline is another epoch, since a fail-over may have lost what no caller saw acknowledged.

const headStatement = (fence: string): string => `select ${SERVICE}, ${FEED_COLUMNS}, ${TIMELINE} as timeline,
  case when ${fence} then pg_logical_emit_message(true, 'mintmark', '') end as fenced from service`

const suffixOf = (timeline: string): string => `.${timeline}`

/** Returns the suffix for the snapshot of a page. */
const timelineSuffix: FeedParts['epochSuffix'] = function* () {
  return suffixOf((yield* only<{ timeline: string }>(`select ${TIMELINE} as timeline`)).timeline)
}

type FeedReadParts = {
  readonly lease: Lease
  readonly deadline: () => MonotonicMilliseconds
  readonly metrics: Metrics
}

/** The head in an answer to the statement above; LATE where the lease does not cover its time. */
const headIn = (answered: Answered, session: Session, lease: Lease): FeedHead | typeof LATE => {
  const { service, now } = momentOf(answered, session)
  const [row] = answered.rows as readonly [FeedPosition & { readonly timeline: string }] // momentOf found it
  return lease.covers(now, service.clockLease) ? headOf(row, suffixOf(row.timeline), now) : LATE
}

const makeReadFeedHead = (session: Session, { lease, deadline, metrics }: FeedReadParts): (() => Promise<FeedHead>) => {
  const asked = { text: headStatement(session.fence), name: 'feed_head' }
  const ask = makeShared(session.pool, async connection =>
    headIn(await timeRead(metrics, 'snapshot', askFenced(session.transactions, connection, asked)), session, lease),
  )
  return () => lease.answer(() => ask(deadline()))
}

/** A row may hold some thousand tokens, and a connection of the hot pool is not kept for long. */
const ROWS_MAX = 64

// The head is one row whatever facts there are: its message and its time are of one call each.
const statementOf = (fence: string): string => `select head.*, fact.*
  from (${headStatement(fence)}) head left join (
    select position as "factPosition", ${FACT_COLUMNS} from fact
    where position > $1 and position <= $2 order by position, n limit ${ROWS_MAX + 1}) fact on true
  order by fact."factPosition", fact.n`

type Row = Omit<FactRow, 'position'> & { readonly factPosition: number | null }

const factsIn = (rows: readonly Row[]): readonly FactRow[] =>
  rows.flatMap(({ factPosition: position, ...row }) => (position === null ? [] : [{ ...row, position }]))

/** Returns undefined for a range that may hold more. */
const makeReadFeedPage = (session: Session, parts: FeedReadParts): NonNullable<FeedParts['fewFacts']> => {
  const { lease, deadline, metrics } = parts
  const text = statementOf(session.fence)

  const read = async (connection: Connection, range: FeedRange, to: number) => {
    const asked = { text, name: 'feed_page', values: [range.from, to] }
    const answered = await askFenced(session.transactions, connection, asked)
    const head = headIn(answered, session, lease)
    if (head === LATE) return LATE
    const rows = factsIn(answered.rows as readonly Row[]) // as the statement lists it
    return rows.length > ROWS_MAX ? undefined : pageOfRows(head, range, rows)
  }

  return async (range: FeedRange): Promise<FeedPage | 'epoch_changed' | undefined> => {
    const { from, to } = range
    if (to === null || to - from > ROWS_MAX) return undefined
    const attempt = () => session.pool.use(connection => read(connection, range, to), deadline())
    return lease.answer(() => timeRead(metrics, 'snapshot', attempt()))
  }
}

export const makeFeedParts = (session: Session, parts: FeedReadParts): FeedParts => ({
  head: makeReadFeedHead(session, parts),
  fewFacts: makeReadFeedPage(session, parts),
  epochSuffix: timelineSuffix,
})
