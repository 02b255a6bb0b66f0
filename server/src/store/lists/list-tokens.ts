// The list of live tokens: one stream for each lifetime in use, newest first.
import { causeOfEnd } from '../../domain/ledger/ledger.ts'
import type { Page, PageRequest, TokenFilters, TokenRecord } from '../../domain/lists/page.ts'
import { ABOVE_EVERY_ID, lowestLiveId } from '../../domain/ledger/token-id.ts'
import { knownRecordOf, type NameCaches, recordOf } from '../ledger/name-caches.ts'
import { readLifetimes } from '../ledger/scan-affected-rows.ts'
import type { Program } from '../statement-program.ts'
import type { Snapshot } from '../snapshot.ts'
import { mergePage } from './merge.ts'
import { accessFor, higher, issuedBounds, lower, passes, type StreamRow, tokenStream } from './token-streams.ts'

export function* listLiveTokens(
  snapshot: Snapshot,
  nameCaches: NameCaches,
  { filters, audiences, after, limit }: PageRequest<TokenFilters>,
): Program<Page<TokenRecord>> {
  const { sets, now } = snapshot
  const issued = issuedBounds(filters)
  const below = lower(issued.below, after?.id ?? ABOVE_EVERY_ID)
  const lifetimes = yield* readLifetimes()
  const streams = (yield* accessFor(filters, lifetimes)).flatMap(access =>
    lifetimes.map(life => {
      const low = higher(issued.low, lowestLiveId(now, life))
      return tokenStream(snapshot, { access, life, low, below, ceiling: 0, at: () => 0 })
    }),
  )
  const cutOffs = yield* snapshot.cutOffs()
  const isShown = ({ token }: StreamRow): boolean =>
    causeOfEnd(token, cutOffs, now) === undefined && passes(filters, audiences, token)
  const page = yield* mergePage(streams, { limit, hidesRows: audiences !== null }, isShown)
  const records: TokenRecord[] = []
  for (const { row } of page.records) {
    records.push(knownRecordOf(row, nameCaches, sets) ?? (yield* recordOf(row, nameCaches, sets)))
  }
  return { ...page, records }
}
