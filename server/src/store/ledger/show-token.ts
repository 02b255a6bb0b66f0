// The whole life of one token, found by its id alone: live, under a cut-off, expired or ended.
import { causeOfEnd } from '../../domain/ledger/ledger.ts'
import type { TokenEnd, TokenLife } from '../../domain/lists/page.ts'
import { reasonOf } from '../../../../api/values/reason.ts'
import { expiresSecondOf } from '../../domain/ledger/token-id.ts'
import { ENDED_COLUMNS, type EndedRow } from '../lists/ended-streams.ts'
import { bytesOfId } from '../rows.ts'
import { first, type Program } from '../statement-program.ts'
import type { Snapshot } from '../snapshot.ts'
import { BY_TIME, readAct } from './acts.ts'
import { type NameCaches, recordOf } from './name-caches.ts'
import { ledgerTokenOf, TOKEN_COLUMNS, type TokenRow } from './token-rows.ts'
import { readLifetimes } from './scan-affected-rows.ts'

function* endOfRow({ sets, now, cutOffs }: Snapshot, row: TokenRow): Program<TokenEnd | null> {
  const token = yield* ledgerTokenOf(row, sets)
  const cause = causeOfEnd(token, yield* cutOffs(), now)
  if (cause === undefined) return null
  if (cause !== 'expired') return { endedAt: cause.at, reason: cause.reason, ...(yield* readAct(cause.act)) }
  return { endedAt: 1000 * expiresSecondOf(token.id, token.lifetimeSeconds), reason: 'expired', ...BY_TIME }
}

const ENDED = `select ${ENDED_COLUMNS} from ended where id = ? and at between ? and ?`

function* showEnded(
  { sets, endedBetween }: Snapshot,
  nameCaches: NameCaches,
  tokenId: string,
): Program<TokenLife | undefined> {
  const row = yield* first<EndedRow>(ENDED, bytesOfId(tokenId), ...endedBetween(tokenId))
  if (row === undefined) return undefined
  const end = { endedAt: row.at, reason: reasonOf(row.reason), ...(yield* readAct(row.act)) }
  return { token: yield* recordOf(row, nameCaches, sets), end }
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
    return { token: yield* recordOf(row, nameCaches, snapshot.sets), end: yield* endOfRow(snapshot, row) }
  }
  return yield* showEnded(snapshot, nameCaches, tokenId)
}
