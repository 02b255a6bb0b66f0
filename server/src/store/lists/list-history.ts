// The history: tokens that only expired, tokens that were ended, and tokens under a cut-off whose rows have yet to follow.
import { type CutOff, causeOfEnd } from '../../domain/ledger/ledger.ts'
import type { EndedTokenRecord, HistoryFilters, Page, PageRequest, Position } from '../../domain/lists/page.ts'
import { REASONS, type Reason, reasonOf } from '../../../../api/values/reason.ts'
import { expiresSecondOf, lowestIdAt, lowestLiveId } from '../../domain/ledger/token-id.ts'
import { BY_TIME, readActs } from '../ledger/acts.ts'
import { knownRecordOf, type NameCaches, recordOf } from '../ledger/name-caches.ts'
import { readLifetimes } from '../ledger/scan-affected-rows.ts'
import type { Program } from '../statement-program.ts'
import type { Snapshot } from '../snapshot.ts'
import { type EndedStreamRow, endedStreams } from './ended-streams.ts'
import { type Met, mergePage, type Stream } from './merge.ts'
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

type HistoryRow = EndedStreamRow | (StreamRow & { readonly kind: 'expired' | CutOff })

type History = {
  readonly snapshot: Snapshot
  readonly filters: HistoryFilters
  readonly after: Position | null
  readonly cutOffs: readonly CutOff[]
  /** In the ledger. */
  readonly lifetimes: readonly number[]
}

const tagged = <R extends Met, K>(stream: Stream<R>, kind: K): Stream<R & { readonly kind: K }> => ({
  ceiling: stream.ceiling,
  fetch: function* (after, limit) {
    const { rows, isLast } = yield* stream.fetch(after, limit)
    return { rows: rows.map(row => ({ ...row, kind })), isLast }
  },
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

/** Tokens of one lifetime that an open cut-off may have ended: they stand where the backfill will put them. */
const cutOffStreams = (
  { snapshot, filters, after, lifetimes }: History,
  access: Access,
  x: CutOff,
): readonly Stream<HistoryRow>[] => {
  if (!isWithin(filters, x.at) || (after !== null && x.at > after.at)) return []
  if (access.by === 'agent' && x.agent !== null && x.agent !== access.n) return []
  const reach: Access = access.by === 'life' && x.agent !== null ? { by: 'agent', n: x.agent } : access
  const issued = issuedBounds(filters)
  const below = after !== null && after.at === x.at ? lower(issued.below, after.id) : issued.below
  return lifetimes.map(life => {
    const low = higher(issued.low, lowestLiveId(x.at, life))
    return tagged(tokenStream(snapshot, { access: reach, life, low, below, ceiling: x.at, at: () => x.at }), x)
  })
}

function* streamsOf(history: History): Program<readonly Stream<HistoryRow>[]> {
  const { snapshot, filters, after, lifetimes } = history
  const wanted = (reason: Reason): boolean => filters.reasons === null || filters.reasons.includes(reason)
  const reasons = Object.values(REASONS)
    .map(reasonOf)
    .filter(reason => reason !== 'expired' && wanted(reason))
  const cutOffs = history.cutOffs.filter(({ reason }) => wanted(reason))
  const expiring = wanted('expired') ? lifetimes : []
  return (yield* accessFor(filters, lifetimes)).flatMap(access => [
    ...expiring.map(life => expiredStream(history, access, life)),
    ...endedStreams(snapshot, access, filters, { after, reasons }),
    ...cutOffs.flatMap(x => cutOffStreams(history, access, x)),
  ])
}

/** Whether a row stands in the history where its stream has it, and the filters ask for it. */
const isShown =
  ({ snapshot, filters, cutOffs }: History, audiences: readonly string[] | null) =>
  (row: HistoryRow): boolean => {
    if (row.kind === 'ended') {
      // By scope the index holds every reason.
      const isWanted = filters.reasons === null || filters.reasons.includes(reasonOf(row.ended.reason))
      return isWanted && passes(filters, audiences, row)
    }
    const cause = causeOfEnd(row.token, cutOffs, snapshot.now)
    const [stream, found] = [row.kind, cause].map(one => (typeof one === 'object' ? one.seq : one))
    return found !== undefined && stream === found && passes(filters, audiences, row.token)
  }

/** The number of the act that ended the token of a row; null where time did. */
const actOf = (row: HistoryRow): number | null => {
  if (row.kind === 'ended') return row.ended.act
  return row.kind === 'expired' ? null : row.kind.act
}

const reasonOfRow = (row: HistoryRow): Reason => {
  if (row.kind === 'ended') return reasonOf(row.ended.reason)
  return row.kind === 'expired' ? row.kind : row.kind.reason
}

export function* listEndedTokens(
  snapshot: Snapshot,
  nameCaches: NameCaches,
  { filters, audiences, after, limit }: PageRequest<HistoryFilters>,
): Program<Page<EndedTokenRecord>> {
  const { sets } = snapshot
  const [cutOffs, lifetimes] = [yield* snapshot.cutOffs(), yield* readLifetimes()]
  const history: History = { snapshot, filters, after, cutOffs, lifetimes }
  const streams = yield* streamsOf(history)
  const page = yield* mergePage(streams, { limit, hidesRows: audiences !== null }, isShown(history, audiences))
  const actNumbered = yield* readActs(page.records.map(actOf).filter(n => n !== null))
  const records: EndedTokenRecord[] = []
  for (const row of page.records) {
    const shown = row.kind === 'ended' ? row.ended : row.row
    const token = knownRecordOf(shown, nameCaches, sets) ?? (yield* recordOf(shown, nameCaches, sets))
    const act = actOf(row)
    const ending = act === null ? BY_TIME : actNumbered(act)
    records.push({ ...token, endedAt: row.at, reason: reasonOfRow(row), ...ending })
  }
  return { ...page, records }
}
