// Retention on SQLite: tokens go row by row.
import { REASONS } from '../../../../../api/values/reason.ts'
import { lowestIdAt } from '../../../domain/ledger/token-id.ts'
import { makeRetentionStep, RETENTION_ROWS } from '../../retention.ts'
import { bytesOfId } from '../../rows.ts'
import { all, run } from '../../statement-program.ts'

type Row = { readonly id: Uint8Array }

const EXPIRED = 'select id from token where life = ? and id < ? order by id limit ?'
const ENDED = 'select id from ended where reason = ? and at < ? order by at, id limit ?'

/** Removes at most RETENTION_ROWS rows in one step. */
export const retentionStep = makeRetentionStep({
  removeExpired: function* ({ now }, life, { expiredMs }) {
    // The last second whose tokens of this lifetime expired at least `expiredMs` ago.
    const bound = lowestIdAt(1000 * (Math.floor((now - expiredMs) / 1000) - life + 1))
    const rows = yield* all<Row>(EXPIRED, life, bytesOfId(bound), RETENTION_ROWS)
    for (const { id } of rows) yield* run('delete from token where life = ? and id = ?', life, id)
    return rows.length
  },
  removeEnded: function* (_tx, before) {
    let removed = 0
    for (const reason of Object.values(REASONS)) {
      const rows: readonly Row[] = yield* all<Row>(ENDED, reason, before, RETENTION_ROWS - removed)
      for (const { id } of rows) yield* run('delete from ended where id = ?', id)
      removed += rows.length
      if (removed >= RETENTION_ROWS) break
    }
    return removed
  },
})
