// The whole life of one token, found by its id alone: live, under a cut-off, expired or ended.
import { isAncestorEnd } from '../../domain/ledger/ledger.ts'
import type { TokenEnd, TokenLife, TokenRecord } from '../../domain/lists/page.ts'
import { reasonOf } from '../../../../api/values/reason.ts'
import type { EndedRow } from '../lists/ended-streams.ts'
import type { Program } from '../statement-program.ts'
import type { Snapshot } from '../snapshot.ts'
import { BY_TIME, readAct } from './acts.ts'
import { findRow } from './find-row.ts'
import { type Judge, judgeRow, makeJudge } from './judge.ts'
import { type NameCaches, recordOf } from './name-caches.ts'
import type { TokenRow } from './token-rows.ts'

/** The id of the ancestor that stands so many edges up; null for none. */
export const ancestorAt = ({ ancestors }: TokenRecord, distance: number | null): string | null =>
  distance === null ? null : (ancestors[distance - 1]?.id ?? null)

type Cached = { readonly snapshot: Snapshot; readonly nameCaches: NameCaches; readonly judge: Judge }

function* endOfRow({ snapshot, judge }: Cached, row: TokenRow, record: TokenRecord): Program<TokenEnd | null> {
  const { cause } = yield* judgeRow(snapshot, judge, row)
  if (cause === undefined) return null
  if (cause === 'expired') {
    return { endedAt: 1000 * record.expiresAt, reason: 'expired', ancestorId: null, ...BY_TIME }
  }
  const [reason, distance] = isAncestorEnd(cause) ? ['ancestor_ended' as const, cause.distance] : [cause.reason, null]
  return { endedAt: cause.at, reason, ancestorId: ancestorAt(record, distance), ...(yield* readAct(cause.act)) }
}

/** The life of a token of which this row is left. */
export function* lifeOfRow(cached: Cached, row: TokenRow): Program<TokenLife> {
  const token = yield* recordOf(row, cached.nameCaches, cached.snapshot.sets)
  return { token, end: yield* endOfRow(cached, row, token) }
}

/** The life of a token that was moved. */
export function* lifeOfEnded({ snapshot, nameCaches }: Omit<Cached, 'judge'>, row: EndedRow): Program<TokenLife> {
  const token = yield* recordOf(row, nameCaches, snapshot.sets)
  const ancestorId = ancestorAt(token, row.ancestor)
  return { token, end: { endedAt: row.at, reason: reasonOf(row.reason), ancestorId, ...(yield* readAct(row.act)) } }
}

export function* showToken(
  snapshot: Snapshot,
  nameCaches: NameCaches,
  tokenId: string,
): Program<TokenLife | undefined> {
  const row = yield* findRow(snapshot, tokenId)
  if (row === undefined) return undefined
  if ('reason' in row) return yield* lifeOfEnded({ snapshot, nameCaches }, row)
  return yield* lifeOfRow({ snapshot, nameCaches, judge: makeJudge(snapshot, yield* snapshot.cutOffs()) }, row)
}
