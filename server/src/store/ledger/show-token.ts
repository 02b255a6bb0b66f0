// The whole life of one token, found by its id alone: live, under a cut-off, expired or ended.
import { causeOfEnd } from '../../domain/ledger.ts'
import type { TokenEnd, TokenLife } from '../../domain/page.ts'
import { reasonOf } from '../../domain/reason.ts'
import { expiresSecondOf } from '../../domain/token-id.ts'
import { BY_TIME, readAct } from './acts.ts'
import { ENDED_COLUMNS, type EndedRow } from '../lists/ended-streams.ts'
import type { Labels } from './labels.ts'
import type { Snapshot } from '../sqlite/reader.ts'
import { bytesOfId } from '../sqlite/rows.ts'
import { ledgerTokenOf, TOKEN_COLUMNS, type TokenRow } from './token-rows.ts'
import { lifetimesOf } from './walk.ts'

const endOfRow = ({ sql, sets, now, cutOffs }: Snapshot, row: TokenRow): TokenEnd | null => {
  const token = ledgerTokenOf(row, sets)
  const cause = causeOfEnd(token, cutOffs(), now)
  if (cause === undefined) return null
  if (cause !== 'expired') return { endedAt: cause.at, reason: cause.reason, ...readAct(sql, cause.act) }
  return { endedAt: 1000 * expiresSecondOf(token.id, token.lifetimeSeconds), reason: 'expired', ...BY_TIME }
}

const showEnded = ({ sql, sets }: Snapshot, labels: Labels, id: Buffer): TokenLife | undefined => {
  const row = sql<EndedRow>(`select ${ENDED_COLUMNS} from ended where id = ?`).get(id)
  if (row === undefined) return undefined
  const end = { endedAt: row.at, reason: reasonOf(row.reason), ...readAct(sql, row.act) }
  return { token: labels.record(row, sets), end }
}

/** An id does not tell the lifetime, and with it the key of the row: each of the at most 16 in use is tried. */
export const showToken = (snapshot: Snapshot, labels: Labels, tokenId: string): TokenLife | undefined => {
  const id = bytesOfId(tokenId)
  const select = snapshot.sql<TokenRow>(`select ${TOKEN_COLUMNS} from token where life = ? and id = ?`)
  for (const life of lifetimesOf(snapshot.sql)) {
    const row = select.get(life, id)
    if (row !== undefined) return { token: labels.record(row, snapshot.sets), end: endOfRow(snapshot, row) }
  }
  return showEnded(snapshot, labels, id)
}
