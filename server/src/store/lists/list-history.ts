// The history: tokens that only expired, tokens that were ended, and tokens under a cut-off whose rows have yet to follow.
import { type Cause, type CutOff, isAncestorEnd } from '../../domain/ledger/ledger.ts'
import type { EndedTokenRecord, HistoryFilters, Page, PageRequest, Position } from '../../domain/lists/page.ts'
import { REASONS, type Reason, reasonOf } from '../../../../api/values/reason.ts'
import { expiresSecondOf, lowestIdAt, lowestLiveId } from '../../domain/ledger/claims.ts'
import { type AskedActs, BY_TIME, mayHaveActed, readActs, readActsAsked, readRevocationAct } from '../ledger/acts.ts'
import { type CascadingAct, readCascadingActs } from '../ledger/cascades.ts'
import { type Judge, makeJudge } from '../ledger/judge.ts'
import { knownRecordOf, type NameCaches, recordOf } from '../ledger/name-caches.ts'
import { readLifetimes } from '../ledger/scan-affected-rows.ts'
import { ancestorAt } from '../ledger/show-token.ts'
import { isForAny } from '../../../../api/values/audience.ts'
import { recall } from '../name-cache.ts'
import type { Program } from '../statement-program.ts'
import type { Snapshot } from '../snapshot.ts'
import { type EndedStreamRow, endedStreams } from './ended-streams.ts'
import { type Met, mergePage, type Stream } from './merge.ts'
import { higher, issuedBounds, lower } from './token-ranges.ts'
import { passes, type StreamRow, tokenStream } from './token-streams.ts'
import { type Way, type Ways, waysFor } from './ways.ts'

/** What ended the tokens of a stream whose rows are where live ones are: time, a cut-off, or an act with their ancestors. */
type Pending = 'expired' | CutOff | CascadingAct

type HistoryWay = Way<HistoryFilters>

type HistoryRow = EndedStreamRow | (StreamRow & { readonly kind: Pending })

type History = Ways<HistoryFilters> & {
  readonly snapshot: Snapshot
  readonly filters: HistoryFilters
  readonly after: Position | null
  readonly askedActs: AskedActs
  readonly cutOffs: readonly CutOff[]
  /** Acts that ended tokens whose descendants may have yet to follow. */
  readonly acts: readonly CascadingAct[]
  readonly judge: Judge
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

/** No token of the lifetime that the filters allow expires later. */
const endOfLife = ({ issuedBefore }: HistoryFilters, life: number): number =>
  issuedBefore === null ? Number.POSITIVE_INFINITY : issuedBefore + 1000 * life

/** Tokens of one lifetime that had expired by now. */
const expiredStream = ({ snapshot, after, judge }: History, way: HistoryWay, life: number): Stream<HistoryRow> => {
  const { filters } = way
  const issued = issuedBounds(filters)
  const firstEnd = Math.ceil((filters.endedAfter ?? 0) / 1000)
  let below = lower(issued.below, lowestLiveId(snapshot.now, life))
  if (filters.endedBefore !== null)
    below = lower(below, lowestIdAt(1000 * (Math.ceil(filters.endedBefore / 1000) - life)))
  if (after !== null) below = lower(below, belowPosition(life, after))
  return tagged(
    tokenStream(snapshot, {
      way,
      life,
      low: higher(issued.low, lowestIdAt(1000 * (firstEnd - life))),
      below,
      ceiling: earliest(filters.endedBefore, endOfLife(filters, life)),
      at: token => 1000 * expiresSecondOf(token.id, life),
      judge,
    }),
    'expired' as const,
  )
}

const isWithin = ({ endedAfter, endedBefore }: HistoryFilters, at: number): boolean =>
  (endedAfter === null || at >= endedAfter) && (endedBefore === null || at < endedBefore)

/** Tokens that may have ended at an instant, where the background will put them. */
const streamsAt = (
  { snapshot, after, lifetimes, judge }: History,
  way: HistoryWay,
  kind: CutOff | CascadingAct,
): readonly Stream<HistoryRow>[] => {
  const { at } = kind
  const { filters } = way
  if (!isWithin(filters, at) || (after !== null && at > after.at)) return []
  const issued = issuedBounds(filters)
  const below = after !== null && after.at === at ? lower(issued.below, after.id) : issued.below
  return lifetimes.map(life => {
    const low = higher(issued.low, lowestLiveId(at, life))
    return tagged(tokenStream(snapshot, { way, life, low, below, ceiling: at, at: () => at, judge }), kind)
  })
}

/** Tokens of one lifetime that an open cut-off may have ended, at the positions to which the backfill will move them. */
const cutOffStreams = (history: History, way: HistoryWay, x: CutOff): readonly Stream<HistoryRow>[] => {
  const { access } = way
  if (access.by === 'agent' && x.agent !== null && x.agent !== access.n) return []
  if (access.by !== 'life' || x.agent === null) return streamsAt(history, way, x)
  return streamsAt(history, { ...way, access: { by: 'agent', n: x.agent } }, x)
}

/** Tokens with a parent that may have ended with an ancestor by this act, and have yet to follow it. */
const followingStreams = (history: History, way: HistoryWay, act: CascadingAct): readonly Stream<HistoryRow>[] =>
  streamsAt(history, way.access.by === 'life' ? { ...way, access: { by: 'delegated' } } : way, act)

const isOfAnyAct = ({ askedActs: { by, number } }: History): boolean => by === null && number === null

const streamsOf = (history: History): readonly Stream<HistoryRow>[] => {
  const { snapshot, filters, after, lifetimes, acts, askedActs, ways } = history
  const wanted = (reason: Reason): boolean =>
    (filters.reasons === null || filters.reasons.includes(reason)) && (reason !== 'expired' || isOfAnyAct(history))
  const reasons = Object.values(REASONS)
    .map(reasonOf)
    .filter(reason => reason !== 'expired' && wanted(reason))
  const cutOffs = history.cutOffs.filter(({ reason }) => wanted(reason))
  const expiring = wanted('expired') ? lifetimes : []
  const following = wanted('ancestor_ended') ? acts : []
  return ways.flatMap(way => [
    ...expiring.map(life => expiredStream(history, way, life)),
    ...endedStreams(snapshot, way, { after, reasons, acts: askedActs }),
    ...cutOffs.flatMap(x => cutOffStreams(history, way, x)),
    ...following.flatMap(act => followingStreams(history, way, act)),
  ])
}

const isOf = (kind: Pending, cause: Cause | undefined): boolean => {
  if (cause === undefined || cause === 'expired' || kind === 'expired') return kind === cause
  if (isAncestorEnd(cause)) return !('seq' in kind) && kind.act === cause.act
  return 'seq' in kind && kind.seq === cause.seq
}

/** The distance to the ancestor with which the token of a row ended, 1 for its parent; null where it ended by itself. */
const distanceOf = ({ judge }: History, row: HistoryRow): number | null => {
  if (row.kind === 'ended') return row.ended.ancestor
  const cause = judge.causeOf(row.token, row.row.lineage)
  return cause !== undefined && isAncestorEnd(cause) ? cause.distance : null
}

const lineageOf = (row: HistoryRow): number | null => (row.kind === 'ended' ? row.ended.lineage : row.row.lineage)

/** Whether what is asked for would say of a hidden act whose it is. */
const hidesActs = (history: History, audiences: readonly string[] | null): audiences is readonly string[] =>
  audiences !== null && !isOfAnyAct(history)

/** The stream, with the audiences of all ancestors cached. */
const withAncestors = ({ snapshot: { sets } }: History, stream: Stream<HistoryRow>): Stream<HistoryRow> => ({
  ceiling: stream.ceiling,
  fetch: function* (after, limit) {
    const step = yield* stream.fetch(after, limit)
    for (const lineage of step.rows.map(lineageOf)) {
      const ancestors = lineage === null ? [] : yield* recall(sets.lineage, lineage)
      for (const { audience } of ancestors) yield* recall(sets.audience, audience)
    }
    return step
  },
})

/** Whether a token ended with an ancestor that the caller may not see: the caller must not learn whose act that was. */
const isOfHiddenAct = (history: History, row: HistoryRow, audiences: readonly string[]): boolean => {
  const [distance, lineage] = [distanceOf(history, row), lineageOf(row)]
  if (distance === null || lineage === null) return false
  const { sets } = history.snapshot
  const ancestor = sets.lineage.known(lineage)?.[distance - 1]
  return !isForAny(audiences, (ancestor && sets.audience.known(ancestor.audience)) ?? [])
}

/** Whether a row stands in the history where its stream has it, and the filters ask for it. */
const isShown =
  (history: History, audiences: readonly string[] | null) =>
  (row: HistoryRow): boolean => {
    const { filters, numbers, judge } = history
    if (!passes({ filters, numbers, audiences }, row)) return false
    if (hidesActs(history, audiences) && isOfHiddenAct(history, row, audiences)) return false
    if (row.kind === 'ended') {
      // Some indexes hold every reason.
      return filters.reasons === null || filters.reasons.includes(reasonOf(row.ended.reason))
    }
    return isOf(row.kind, judge.causeOf(row.token, row.row.lineage))
  }

/** The number of the act that ended the token of a row; null where time did. */
const actOf = (row: HistoryRow): number | null => {
  if (row.kind === 'ended') return row.ended.act
  return row.kind === 'expired' ? null : row.kind.act
}

const reasonOfRow = (row: HistoryRow): Reason => {
  if (row.kind === 'ended') return reasonOf(row.ended.reason)
  if (row.kind === 'expired') return row.kind
  return 'seq' in row.kind ? row.kind.reason : 'ancestor_ended'
}

type Narrowed = { readonly filters: HistoryFilters; readonly askedActs: AskedActs }

/** A revocation ended all its tokens at one time, whatever else ended then. Undefined where no such revocation, or no act of that actor, is kept. */
function* narrow(filters: HistoryFilters, after: Position | null): Program<Narrowed | undefined> {
  const { revocationId, endedAfter, endedBefore, endedBy: by } = filters
  // The first page has asked.
  if (by !== null && after === null && !(yield* mayHaveActed(by))) return undefined
  if (revocationId === null) return { filters, askedActs: { by, number: null } }
  const revocation = yield* readRevocationAct(revocationId)
  if (revocation === undefined) return undefined
  const { n: number, at } = revocation
  const within = { endedAfter: Math.max(endedAfter ?? at, at), endedBefore: Math.min(endedBefore ?? at + 1, at + 1) }
  return { filters: { ...filters, ...within }, askedActs: { by, number } }
}

function* readHistory(
  snapshot: Snapshot,
  { filters, askedActs }: Narrowed,
  { after, audiences }: Pick<PageRequest<HistoryFilters>, 'after' | 'audiences'>,
): Program<History> {
  const cutOffs = yield* snapshot.cutOffs()
  const cascading = yield* readCascadingActs()
  const known = new Map([...cutOffs, ...cascading].map(({ act, at }) => [act, { act, at }]))
  const isAsked = yield* readActsAsked(askedActs, [...known.keys()])
  const asked = cutOffs.filter(({ act }) => isAsked(act))
  const acts = [...known.values()].filter(({ act }) => isAsked(act))
  const lifetimes = yield* readLifetimes()
  const judge = makeJudge(snapshot, cutOffs)
  // Ends are reached by an agent and a reason.
  const lows = new Map(lifetimes.map(life => [life, lowestIdAt(0)]))
  const streams = {
    ofScope: Math.max(lifetimes.length, 1),
    ofAgent: lifetimes.length + Object.keys(REASONS).length,
    lows,
    isOfHistory: true,
  }
  const ways = yield* waysFor(snapshot.sets, { filters, audiences }, streams)
  return { ...ways, snapshot, filters, after, askedActs, cutOffs: asked, acts, judge, lifetimes }
}

export function* listEndedTokens(
  snapshot: Snapshot,
  nameCaches: NameCaches,
  { filters, audiences, after, limit }: PageRequest<HistoryFilters>,
): Program<Page<EndedTokenRecord>> {
  const { sets } = snapshot
  const narrowed = yield* narrow(filters, after)
  if (narrowed === undefined) return { records: [], next: null, examined: 0 }
  const history = yield* readHistory(snapshot, narrowed, { after, audiences })
  const streams = streamsOf(history).map(stream =>
    hidesActs(history, audiences) ? withAncestors(history, stream) : stream,
  )
  const page = yield* mergePage(streams, { limit, hidesRows: audiences !== null }, isShown(history, audiences))
  const actNumbered = yield* readActs(page.records.map(actOf).filter(n => n !== null))
  const records: EndedTokenRecord[] = []
  for (const row of page.records) {
    const shown = row.kind === 'ended' ? row.ended : row.row
    const token = knownRecordOf(shown, nameCaches, sets) ?? (yield* recordOf(shown, nameCaches, sets))
    const act = actOf(row)
    const ending = act === null ? BY_TIME : actNumbered(act)
    const ancestorId = ancestorAt(token, distanceOf(history, row))
    records.push({ ...token, endedAt: row.at, reason: reasonOfRow(row), ancestorId, ...ending })
  }
  return { ...page, records }
}
