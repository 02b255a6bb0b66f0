// The whole life of one token, found by its id alone: live, under a cut-off, expired or ended.
import { isAncestorEnd } from '../../domain/ledger/ledger.ts'
import type { TokenEnd, TokenLife, TokenRecord } from '../../domain/lists/page.ts'
import { reasonOf } from '../../../../api/values/reason.ts'
import { ENDED_COLUMNS, type EndedRow } from '../lists/ended-streams.ts'
import { bytesOfId } from '../rows.ts'
import { first, type Program } from '../statement-program.ts'
import type { Snapshot } from '../snapshot.ts'
import { BY_TIME, readAct } from './acts.ts'
import { judgeRow, makeJudge } from './judge.ts'
import { type NameCaches, recordOf } from './name-caches.ts'
import { TOKEN_COLUMNS, type TokenRow } from './token-rows.ts'
import { readLifetimes } from './scan-affected-rows.ts'

/** The id of the ancestor that stands so many edges up; null for none. */
export const ancestorAt = ({ ancestors }: TokenRecord, distance: number | null): string | null =>
  distance === null ? null : (ancestors[distance - 1]?.id ?? null)

function* endOfRow(snapshot: Snapshot, row: TokenRow, record: TokenRecord): Program<TokenEnd | null> {
  const { cause } = yield* judgeRow(snapshot, makeJudge(snapshot, yield* snapshot.cutOffs()), row)
  if (cause === undefined) return null
  if (cause === 'expired') {
    return { endedAt: 1000 * record.expiresAt, reason: 'expired', ancestorId: null, ...BY_TIME }
  }
  const [reason, distance] = isAncestorEnd(cause) ? ['ancestor_ended' as const, cause.distance] : [cause.reason, null]
  return { endedAt: cause.at, reason, ancestorId: ancestorAt(record, distance), ...(yield* readAct(cause.act)) }
}

const ENDED = `select ${ENDED_COLUMNS} from ended where id = ? and at between ? and ?`

function* showEnded(
  { sets, endedBetween }: Snapshot,
  nameCaches: NameCaches,
  tokenId: string,
): Program<TokenLife | undefined> {
  const row = yield* first<EndedRow>(ENDED, bytesOfId(tokenId), ...endedBetween(tokenId))
  if (row === undefined) return undefined
  const token = yield* recordOf(row, nameCaches, sets)
  const ancestorId = ancestorAt(token, row.ancestor)
  return { token, end: { endedAt: row.at, reason: reasonOf(row.reason), ancestorId, ...(yield* readAct(row.act)) } }
}

const LIVE = `select ${TOKEN_COLUMNS} from token where life = ? and id = ?`

/** An id does not tell the lifetime, and with it the key of the row: each of the at most 16 in use is tried. */
export function* showToken(
  snapshot: Snapshot,
  nameCaches: NameCaches,
  tokenId: string,
): Program<TokenLife | undefined> {
  for (const life of yield* readLifetimes()) {
    const row = yield* first<TokenRow>(LIVE, life, bytesOfId(tokenId))
    if (row === undefined) continue
    const token = yield* recordOf(row, nameCaches, snapshot.sets)
    return { token, end: yield* endOfRow(snapshot, row, token) }
  }
  return yield* showEnded(snapshot, nameCaches, tokenId)
}
