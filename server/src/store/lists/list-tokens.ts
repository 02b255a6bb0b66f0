// The list of live tokens: one stream for each lifetime in use, newest first.
import { causeOfEnd } from '../../domain/ledger.ts'
import type { Page, PageRequest, TokenFilters, TokenRecord } from '../../domain/page.ts'
import { ABOVE_EVERY_ID, lowestLiveId } from '../../domain/token-id.ts'
import type { Labels } from '../ledger/labels.ts'
import { mergePage } from './merge.ts'
import type { Snapshot } from '../sqlite/reader.ts'
import { accessFor, higher, issuedBounds, lower, passes, tokenStream } from './token-streams.ts'
import { lifetimesOf } from '../ledger/walk.ts'

export const listLiveTokens = (
  snapshot: Snapshot,
  labels: Labels,
  { filters, audiences, after, limit }: PageRequest<TokenFilters>,
): Page<TokenRecord> => {
  const { sets, now } = snapshot
  const issued = issuedBounds(filters)
  const below = lower(issued.below, after?.id ?? ABOVE_EVERY_ID)
  const streams = accessFor(snapshot, filters).flatMap(access =>
    lifetimesOf(snapshot.sql).map(life => {
      const low = higher(issued.low, lowestLiveId(now, life))
      return tokenStream(snapshot, { access, life, low, below, ceiling: 0, at: () => 0 })
    }),
  )
  return mergePage(streams, { limit, hidesRows: audiences !== null }, ({ row, token }) => {
    const live = causeOfEnd(token, snapshot.cutOffs(), now) === undefined
    return live && passes(filters, audiences, token) ? labels.record(row, sets) : undefined
  })
}
