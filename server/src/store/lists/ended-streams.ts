// Key ranges of `ended`, latest end first.
import type { HistoryFilters, Position } from '../../domain/lists/page.ts'
import { type Reason, REASONS } from '../../../../api/values/reason.ts'
import { ABOVE_EVERY_ID } from '../../domain/ledger/token-id.ts'
import { bytesOfId, idOfBytes } from '../rows.ts'
import { all, byIndex, type Program, type Value } from '../statement-program.ts'
import type { Seen } from '../snapshot.ts'
import { justBefore, LIFETIME_MS_MAX, reachOf } from './ended-minutes.ts'
import { type AskedActs, readActsAsked } from '../ledger/acts.ts'
import { NO_ANCESTORS } from '../ledger/token-rows.ts'
import { recall } from '../name-cache.ts'
import type { Stream } from './merge.ts'
import { type Access, issuedBounds, type Streamed, type Way } from './token-streams.ts'

/** A row of `ended`. */
export type EndedRow = {
  readonly id: Uint8Array
  readonly life: number
  readonly agent: number
  readonly cred: number
  readonly key: number
  readonly scope: number
  readonly aud: number
  readonly at: number
  readonly reason: number
  readonly act: number
  readonly lineage: number | null
  /** How many edges up the token stands whose end this is; null: it is the row's own. */
  readonly ancestor: number | null
}

export type EndedStreamRow = Streamed & { readonly kind: 'ended'; readonly ended: EndedRow }

export const ENDED_COLUMNS = 'id, life, agent, cred, key, scope, aud, at, reason, act, lineage, ancestor'
// Left to itself SQLite takes the index by reason for an agent too, and reads every row of that reason.
const RANGE = {
  life: `from ended ${byIndex('ended_reason')} where reason = ? and (at, id) < (?, ?) and at >= ?`,
  agent: `from ended ${byIndex('ended_agent')} where agent = ? and reason = ? and (at, id) < (?, ?) and at >= ?`,
  scope: `from ended ${byIndex('ended_scope')} where scope = ? and (at, id) < (?, ?) and at >= ?`,
  lineage: `from ended ${byIndex('ended_lineage')} where lineage = ? and (at, id) < (?, ?) and at >= ?`,
  subject: `from ended ${byIndex('ended_subject')}
    where lineage is not null and subject = ? and (at, id) < (?, ?) and at >= ?`,
} as const

const NEWEST_FIRST = 'order by at desc, id desc'

const wholeRange = (range: string): string => `select ${ENDED_COLUMNS} ${range} ${NEWEST_FIRST} limit ?`

/** Rows that one statement looks at where it leaves some out. */
const SCANNED_MAX = 256

// Where the tokens of a range were issued on either side of an instant, the store leaves out those on the wrong one, by
// their ids. The last of the rows that it may look at is given whatever its id is, and says how far the scan has come. The
// inner order is kept: an outer one would have SQLite look at all of them and sort, when the first few may fill the step.
const issuedInRange = (range: string): string => `select ${ENDED_COLUMNS}, nth from (
    select ${ENDED_COLUMNS}, row_number() over (${NEWEST_FIRST}) as nth ${range} ${NEWEST_FIRST} limit ${SCANNED_MAX}
  ) as examined where (id >= ? and id < ?) or nth = ${SCANNED_MAX} limit ?`

const SELECT = {
  life: { whole: wholeRange(RANGE.life), issued: issuedInRange(RANGE.life) },
  agent: { whole: wholeRange(RANGE.agent), issued: issuedInRange(RANGE.agent) },
  scope: { whole: wholeRange(RANGE.scope), issued: issuedInRange(RANGE.scope) },
  lineage: { whole: wholeRange(RANGE.lineage), issued: issuedInRange(RANGE.lineage) },
  subject: { whole: wholeRange(RANGE.subject), issued: issuedInRange(RANGE.subject) },
} as const

/** The statements above, for the tests that read their plans. */
export const ENDED_RANGE_STATEMENTS: readonly string[] = Object.values(SELECT).map(({ whole }) => whole)
export const ENDED_ISSUED_STATEMENTS: readonly string[] = Object.values(SELECT).map(({ issued }) => issued)

const topOf = ({ endedBefore, issuedBefore }: HistoryFilters, after: Position | null): Position => {
  const bounds = [
    endedBefore ?? Number.POSITIVE_INFINITY,
    issuedBefore === null ? Number.POSITIVE_INFINITY : issuedBefore + LIFETIME_MS_MAX,
  ]
  const at = Math.min(...bounds)
  const top = Number.isFinite(at) ? justBefore(at) : ABOVE_ALL
  return after !== null && (after.at < top.at || (after.at === top.at && after.id < top.id)) ? after : top
}

const ABOVE_ALL: Position = { at: Number.MAX_SAFE_INTEGER, id: ABOVE_EVERY_ID }

const keysOf = (access: Access, reasons: readonly Reason[]): readonly (readonly number[])[] => {
  switch (access.by) {
    case 'life':
    case 'delegated':
      return reasons.map(reason => [REASONS[reason]])
    case 'agent':
      return reasons.map(reason => [access.n, REASONS[reason]])
    // These indexes hold every reason.
    case 'scope':
    case 'lineage':
    case 'subject':
      return reasons.length === 0 ? [] : [[access.n]]
  }
}

type Found = { readonly rows: readonly EndedRow[]; readonly scanned: readonly number[]; readonly isLast: boolean }

function* readWhole(statement: string, range: readonly Value[], limit: number): Program<Found> {
  const rows = yield* all<EndedRow>(statement, ...range, limit)
  return { rows, scanned: rows.map(() => 1), isLast: rows.length < limit }
}

function* readIssued(
  statement: string,
  range: readonly Value[],
  { low, below }: { readonly low: string; readonly below: string },
  limit: number,
): Program<Found> {
  const rows = yield* all<EndedRow & { readonly nth: number }>(
    statement,
    ...range,
    bytesOfId(low),
    bytesOfId(below),
    limit,
  )
  return {
    rows,
    scanned: rows.map(({ nth }, n) => nth - (rows[n - 1]?.nth ?? 0)),
    isLast: rows.length < limit && rows.at(-1)?.nth !== SCANNED_MAX,
  }
}

type AskedEnds = {
  readonly after: Position | null
  readonly reasons: readonly Reason[]
  readonly acts: AskedActs
}

/** Streams over the tokens that were ended early; `expired` is none of their reasons. */
export const endedStreams = (
  { sets }: Pick<Seen, 'sets'>,
  { access, filters, rootsOnly }: Way<HistoryFilters>,
  { after: position, reasons, acts }: AskedEnds,
): readonly Stream<EndedStreamRow>[] => {
  const top = topOf(filters, position)
  const reachFrom = reachOf(filters, top)
  const issued = issuedBounds(filters)
  const { whole, issued: ofIssued } = SELECT[access.by === 'delegated' ? 'life' : access.by]
  return keysOf(access, reasons).map(keys => ({
    ceiling: Number.POSITIVE_INFINITY,
    fetch: function* (after, limit) {
      const reach = yield* reachFrom(after ?? top)
      if (reach === undefined) return { rows: [], isLast: true }
      const { below, isMixed } = reach
      const range = [...keys, below.at, bytesOfId(below.id), Math.max(filters.endedAfter ?? 0, reach.floor)]
      const found = yield* isMixed ? readIssued(ofIssued, range, issued, limit) : readWhole(whole, range, limit)
      const isAsked = yield* readActsAsked(
        acts,
        found.rows.map(({ act }) => act),
      )
      const rows: EndedStreamRow[] = []
      for (const [n, ended] of found.rows.entries()) {
        const { items: scope } = sets.scope.known(ended.scope) ?? (yield* sets.scope.read(ended.scope))
        const audience = sets.audience.known(ended.aud) ?? (yield* sets.audience.read(ended.aud))
        const [id, scanned] = [idOfBytes(ended.id), found.scanned[n] ?? 1]
        const ancestors = ended.lineage === null ? NO_ANCESTORS : yield* recall(sets.lineage, ended.lineage)
        const { agent, cred: credential, key } = ended
        const token = { id, agent, credential, key, scope, audience, ancestors }
        const isHidden = !isAsked(ended.act) || (rootsOnly && ended.lineage !== null)
        rows.push({ kind: 'ended', at: ended.at, id, scanned, ended, token, isHidden })
      }
      return { rows, isLast: found.isLast }
    },
  }))
}
