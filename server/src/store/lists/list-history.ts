// The history: tokens that only expired, tokens that were ended, and tokens under a cut-off whose rows have yet to follow.
import { type CutOff, causeOfEnd } from '../../domain/ledger.ts'
import type { EndedTokenRecord, HistoryFilters, Page, PageRequest, Position } from '../../domain/page.ts'
import { REASONS, type Reason, reasonOf } from '../../domain/reason.ts'
import { expiresSecondOf, lowestIdAt, lowestLiveId } from '../../domain/token-id.ts'
import { BY_TIME, readAct } from '../ledger/acts.ts'
import { type EndedRow, type EndedStreamRow, endedStreams } from './ended-streams.ts'
import type { Labels } from '../ledger/labels.ts'
import { mergePage, type Stream } from './merge.ts'
import type { Snapshot } from '../sqlite/reader.ts'
import { idOfBytes } from '../sqlite/rows.ts'
import {
  type Access,
  accessFor,
  higher,
  issuedBounds,
  lower,
  passes,
  type StreamRow,
  tokenStream,
} from './token-streams.ts'
import { lifetimesOf } from '../ledger/walk.ts'

type HistoryRow = (EndedStreamRow & { readonly kind: 'ended' }) | (StreamRow & { readonly kind: 'expired' | CutOff })

type History = {
  readonly snapshot: Snapshot
  readonly filters: HistoryFilters
  readonly after: Position | null
}

const tagged = <R extends Position, K>(stream: Stream<R>, kind: K): Stream<R & { readonly kind: K }> => ({
  ceiling: stream.ceiling,
  fetch: (after, limit) => stream.fetch(after, limit).map(row => ({ ...row, kind })),
})

const earliest = (a: number | null, b: number): number => (a === null ? b : Math.min(a, b))

// In this stream `at` is 1000 · (second of issue + lifetime): a position is a bound on the id.
const belowPosition = (life: number, { at, id }: Position): string => {
  const second = Math.floor(at / 1000) - life
  const next = lowestIdAt(1000 * (second + 1))
  return at % 1000 === 0 ? higher(lowestIdAt(1000 * second), lower(id, next)) : next
}

/** Tokens of one lifetime that had expired by now. */
const expiredStream = ({ snapshot, filters, after }: History, access: Access, life: number): Stream<HistoryRow> => {
  const issued = issuedBounds(filters)
  const firstEnd = Math.ceil((filters.endedAfter ?? 0) / 1000)
  let below = lower(issued.below, lowestLiveId(snapshot.now, life))
  if (filters.endedBefore !== null)
    below = lower(below, lowestIdAt(1000 * (Math.ceil(filters.endedBefore / 1000) - life)))
  if (after !== null) below = lower(below, belowPosition(life, after))
  return tagged(
    tokenStream(snapshot, {
      access,
      life,
      low: higher(issued.low, lowestIdAt(1000 * (firstEnd - life))),
      below,
      ceiling: earliest(filters.endedBefore, Number.POSITIVE_INFINITY),
      at: token => 1000 * expiresSecondOf(token.id, life),
    }),
    'expired' as const,
  )
}

const isWithin = ({ endedAfter, endedBefore }: HistoryFilters, at: number): boolean =>
  (endedAfter === null || at >= endedAfter) && (endedBefore === null || at < endedBefore)

/** Tokens of one lifetime that an open cut-off may have ended: they stand where the fill will put them. */
const cutOffStreams = (
  { snapshot, filters, after }: History,
  access: Access,
  x: CutOff,
): readonly Stream<HistoryRow>[] => {
  if (!isWithin(filters, x.at) || (after !== null && x.at > after.at)) return []
  if (access.by === 'agent' && x.agent !== null && x.agent !== access.n) return []
  const reach: Access = access.by === 'life' && x.agent !== null ? { by: 'agent', n: x.agent } : access
  const issued = issuedBounds(filters)
  const below = after !== null && after.at === x.at ? lower(issued.below, after.id) : issued.below
  return lifetimesOf(snapshot.sql).map(life => {
    const low = higher(issued.low, lowestLiveId(x.at, life))
    return tagged(tokenStream(snapshot, { access: reach, life, low, below, ceiling: x.at, at: () => x.at }), x)
  })
}

const streamsOf = (history: History): readonly Stream<HistoryRow>[] => {
  const { snapshot, filters, after } = history
  const wanted = (reason: Reason): boolean => filters.reasons === null || filters.reasons.includes(reason)
  const reasons = Object.values(REASONS)
    .map(reasonOf)
    .filter(reason => reason !== 'expired' && wanted(reason))
  const cutOffs = snapshot.cutOffs().filter(({ reason }) => wanted(reason))
  const lifetimes = wanted('expired') ? lifetimesOf(snapshot.sql) : []
  return accessFor(snapshot, filters).flatMap(access => [
    ...lifetimes.map(life => expiredStream(history, access, life)),
    ...endedStreams(snapshot, access, filters, { after, reasons }).map(stream => tagged(stream, 'ended' as const)),
    ...cutOffs.flatMap(x => cutOffStreams(history, access, x)),
  ])
}

const recordOfEnded = ({ snapshot, filters }: History, labels: Labels, audiences: readonly string[] | null) => {
  const { sql, sets } = snapshot
  return (row: EndedRow): EndedTokenRecord | undefined => {
    const reason = reasonOf(row.reason)
    // By scope the index holds every reason.
    if (filters.reasons !== null && !filters.reasons.includes(reason)) return undefined
    const shown = { id: idOfBytes(row.id), scope: sets.scope(row.scope).items, audience: sets.audience(row.aud) }
    if (!passes(filters, audiences, shown)) return undefined
    return { ...labels.record(row, sets), endedAt: row.at, reason, ...readAct(sql, row.act) }
  }
}

export const listEndedTokens = (
  snapshot: Snapshot,
  labels: Labels,
  { filters, audiences, after, limit }: PageRequest<HistoryFilters>,
): Page<EndedTokenRecord> => {
  const { sql, sets, now } = snapshot
  const history: History = { snapshot, filters, after }
  const fromEnded = recordOfEnded(history, labels, audiences)
  return mergePage(streamsOf(history), { limit, hidesRows: audiences !== null }, row => {
    if (row.kind === 'ended') return fromEnded(row.ended)
    const cause = causeOfEnd(row.token, snapshot.cutOffs(), now)
    const [stream, found] = [row.kind, cause].map(one => (typeof one === 'object' ? one.seq : one))
    if (found === undefined || stream !== found || !passes(filters, audiences, row.token)) return undefined
    const ending =
      row.kind === 'expired'
        ? { reason: row.kind, ...BY_TIME }
        : { reason: row.kind.reason, ...readAct(sql, row.kind.act) }
    return { ...labels.record(row.row, sets), endedAt: row.at, ...ending }
  })
}
