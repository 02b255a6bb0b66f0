// The list of live tokens: one stream for each lifetime in use, newest first.
import type { Page, PageRequest, TokenFilters, TokenRecord } from '../../domain/lists/page.ts'
import { ABOVE_EVERY_ID, lowestLiveId } from '../../domain/ledger/claims.ts'
import { makeJudge } from '../ledger/judge.ts'
import { knownRecordOf, type NameCaches, recordOf } from '../ledger/name-caches.ts'
import { readLifetimes } from '../ledger/scan-affected-rows.ts'
import type { Program } from '../statement-program.ts'
import type { Snapshot } from '../snapshot.ts'
import { mergePage } from './merge.ts'
import { higher, issuedBounds, lower } from './token-ranges.ts'
import { passes, type StreamRow, tokenStream } from './token-streams.ts'
import { waysFor } from './ways.ts'

export function* listLiveTokens(
  snapshot: Snapshot,
  nameCaches: NameCaches,
  { filters, audiences, after, limit }: PageRequest<TokenFilters>,
): Program<Page<TokenRecord>> {
  const { sets, now } = snapshot
  const lifetimes = yield* readLifetimes()
  const each = Math.max(lifetimes.length, 1)
  const lows = new Map(lifetimes.map(life => [life, lowestLiveId(now, life)]))
  const judge = makeJudge(snapshot, yield* snapshot.cutOffs())
  const { ways, numbers } = yield* waysFor(
    sets,
    { filters, audiences },
    { ofScope: each, ofAgent: each, lows, isOfHistory: false },
  )
  const streams = ways.flatMap(way => {
    const issued = issuedBounds(way.filters)
    const below = lower(issued.below, after?.id ?? ABOVE_EVERY_ID)
    return lifetimes.map(life => {
      const low = higher(issued.low, lowestLiveId(now, life))
      return tokenStream(snapshot, { way, life, low, below, ceiling: 0, at: () => 0, judge })
    })
  })
  const isShown = (row: StreamRow): boolean =>
    judge.causeOf(row.token, row.row.lineage) === undefined && passes({ filters, numbers, audiences }, row)
  const page = yield* mergePage(streams, { limit, hidesRows: audiences !== null }, isShown)
  const records: TokenRecord[] = []
  for (const { row } of page.records) {
    records.push(knownRecordOf(row, nameCaches, sets) ?? (yield* recordOf(row, nameCaches, sets)))
  }
  return { ...page, records }
}
