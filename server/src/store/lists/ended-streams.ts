// Key ranges of `ended`, latest end first.
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { HistoryFilters, Position } from '../../domain/lists/page.ts'
import { type Reason, REASONS } from '../../../../api/values/reason.ts'
import { ABOVE_EVERY_ID, lowestIdAt } from '../../domain/ledger/claims.ts'
import { bytesOfId, idOfBytes } from '../rows.ts'
import { all, byIndex, type Program, type Value } from '../statement-program.ts'
import type { Seen } from '../snapshot.ts'
import { justBefore, LIFETIME_MS_MAX, reachOf } from './ended-minutes.ts'
import { type AskedActs, readActsAsked } from '../ledger/acts.ts'
import { NO_ANCESTORS } from '../ledger/token-rows.ts'
import { recall } from '../name-cache.ts'
import type { Stream } from './merge.ts'
import { allOf, type Condition } from './name-conditions.ts'
import { type Found, LEFT_OUT_AS_ONE, type Range, readStep } from './scan-step.ts'
import { type Access, issuedBounds } from './token-ranges.ts'
import type { Streamed } from './token-streams.ts'
import type { Way } from './ways.ts'

/** A row of `ended`. */
export type EndedRow = Readonly<
  Record<'life' | 'agent' | 'cred' | 'key' | 'scope' | 'aud' | 'at' | 'reason' | 'act', number>
> & {
  readonly id: Uint8Array
  readonly lineage: number | null
  readonly principal: number | null
  /** The distance to the ancestor whose end this is, 1 for the parent; null where the token ended by itself. */
  readonly ancestor: number | null
}

export type EndedStreamRow = Streamed & { readonly kind: 'ended'; readonly ended: EndedRow }

export const ENDED_COLUMNS = 'id, life, agent, cred, key, scope, aud, at, reason, act, lineage, principal, ancestor'
// Left to itself SQLite takes the index by reason for an agent too, and reads every row of that reason.
const FROM = {
  life: `from ended ${byIndex('ended_reason')} where reason = ?`,
  agent: `from ended ${byIndex('ended_agent')} where agent = ? and reason = ?`,
  scope: `from ended ${byIndex('ended_scope')} where scope = ?`,
  lineage: `from ended ${byIndex('ended_lineage')} where lineage = ?`,
  subject: `from ended ${byIndex('ended_subject')} where lineage is not null and subject = ?`,
  principal: `from ended ${byIndex('ended_principal')} where principal = ?`,
} as const

type By = keyof typeof FROM

const NEWEST_FIRST = 'order by at desc, id desc'

const wholeRange = (by: By): string =>
  `select ${ENDED_COLUMNS} ${FROM[by]} and (at, id) < (?, ?) and at >= ? ${NEWEST_FIRST} limit ?`

// To the row at which a step ends, among those that ended in one millisecond.
const stepRange = (by: By): Range => ({
  columns: ENDED_COLUMNS,
  position: 'at, id',
  rows: `${FROM[by]} and (at, id) >= (?, ?) and (at, id) < (?, ?)`,
  order: NEWEST_FIRST,
  leftOutAsOne: LEFT_OUT_AS_ONE.byIndex,
})

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
    case 'principal':
      return reasons.length === 0 ? [] : [[access.n]]
  }
}

type Asked = {
  readonly by: By
  readonly key: readonly Value[]
  /** The position below which rows are read, down to those that ended at `floor`. */
  readonly high: readonly Value[]
  readonly floor: Milliseconds
  readonly limit: number
}

function* readWhole({ by, key, high, floor, limit }: Asked): Program<Found<EndedRow>> {
  const rows = yield* all<EndedRow>(wholeRange(by), ...key, ...high, floor, limit)
  return { rows, scanned: rows.map(() => 1), isLast: rows.length < limit }
}

/** Where tokens of a range were issued on either side of an instant, the store leaves out those on the wrong one by their ids. */
const issuedIn = (filters: HistoryFilters): Condition => {
  const { low, below } = issuedBounds(filters)
  return { sql: 'id >= ? and id < ?', values: [bytesOfId(low), bytesOfId(below)] }
}

const readRange = (asked: Asked, conditions: readonly Condition[]): Program<Found<EndedRow>> => {
  if (conditions.length === 0) return readWhole(asked)
  const { by, key, high, floor, limit } = asked
  const low = [floor, bytesOfId(lowestIdAt(0))]
  return readStep(
    stepRange(by),
    { key, low, high, lowAt: ({ at, id }: Pick<EndedRow, 'at' | 'id'>) => [at, id] },
    allOf(conditions),
    limit,
  )
}

type AskedEnds = {
  readonly after: Position | null
  readonly reasons: readonly Reason[]
  readonly acts: AskedActs
}

/** Streams over the tokens that were ended early; `expired` is none of their reasons. */
export const endedStreams = (
  { sets }: Pick<Seen, 'sets'>,
  { access, filters, rootsOnly, columns }: Way<HistoryFilters>,
  { after: position, reasons, acts }: AskedEnds,
): readonly Stream<EndedStreamRow>[] => {
  const top = topOf(filters, position)
  const reachFrom = reachOf(filters, top)
  const issued = issuedIn(filters)
  const by = access.by === 'delegated' ? 'life' : access.by
  return keysOf(access, reasons).map(values => ({
    ceiling: top.at,
    fetch: function* (after, limit) {
      const reach = yield* reachFrom(after ?? top)
      if (reach === undefined) return { rows: [], isLast: true }
      const { below, isMixed } = reach
      const high = [below.at, bytesOfId(below.id)]
      const range = { by, key: values, high, floor: Math.max(filters.endedAfter ?? 0, reach.floor), limit }
      const found = yield* readRange(range, [
        ...(isMixed ? [issued] : []),
        ...(after === null || columns === null ? [] : [columns]),
      ])
      const met = found.rows.map(({ act }) => act)
      const isAsked = yield* readActsAsked(acts, met)
      const rows: EndedStreamRow[] = []
      for (const [n, ended] of found.rows.entries()) {
        const { items: scope } = sets.scope.known(ended.scope) ?? (yield* sets.scope.read(ended.scope))
        const audience = sets.audience.known(ended.aud) ?? (yield* sets.audience.read(ended.aud))
        const [id, scanned] = [idOfBytes(ended.id), found.scanned[n] ?? 1]
        const ancestors = ended.lineage === null ? NO_ANCESTORS : yield* recall(sets.lineage, ended.lineage)
        const { agent, cred: credential, key, principal } = ended
        const token = { id, agent, credential, key, scope, audience, principal, ancestors }
        const isHidden = !isAsked(ended.act) || (rootsOnly && ended.lineage !== null)
        rows.push({ kind: 'ended', at: ended.at, id, scanned, ended, token, isHidden })
      }
      return { rows, isLast: found.isLast }
    },
  }))
}
