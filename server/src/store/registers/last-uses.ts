// Writes when secrets were last used, to the minute.
import type { Transaction } from '../sqlite/transaction.ts'

/** A use is written where the one before it is at least so old. */
export const LAST_USE_STEP_MS = 60_000

const NOTE = {
  credential: 'update credential set last_used_at = ? where n = ? and ifnull(last_used_at, 0) <= ?',
  api_key: 'update api_key set last_used_at = ? where id = ? and ifnull(last_used_at, 0) <= ?',
} as const

/** Notes that these credentials got tokens, in the transaction that writes those. */
export const noteCredentialUses = ({ sql, now }: Transaction, credentials: Iterable<number>): void => {
  for (const n of credentials) sql(NOTE.credential).run(now, n, now - LAST_USE_STEP_MS)
}

export const noteApiKeyUses = ({ sql, now }: Transaction, ids: readonly string[]): null => {
  for (const id of ids) sql(NOTE.api_key).run(now, id, now - LAST_USE_STEP_MS)
  return null
}
