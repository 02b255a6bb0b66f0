// Reads a few facts of the revocation feed and its head by one statement: what is new, for those who wait for it.
import type { FeedPage, FeedRange } from '../../../ports/revocation-feed.ts'
import { FACT_COLUMNS, type FactRow, pageOfRows } from '../../feed/read-feed.ts'
import type { FeedParts } from '../../feed/revocation-feed.ts'
import { LATE } from '../../lease.ts'
import { timeRead } from '../../time-read.ts'
import type { Connection } from '../connection/connection.ts'
import type { Session } from '../connection/session.ts'
import { askFenced } from './batched-lookup.ts'
import { type FeedReadParts, headIn, headStatement, makeReadFeedHead, timelineSuffix } from './read-feed-head.ts'

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

/** The statement, for the test that reads its plan. */
export const READ_FEED_PAGE = statementOf('true')
