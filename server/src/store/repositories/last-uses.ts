// Writes when secrets were last used, to the minute.
import { run, type Program } from '../statement-program.ts'
import type { Transaction } from '../transaction.ts'

/** A use is written where the one before it is at least so old. */
export const LAST_USE_STEP_MS = 60_000

const NOTE = {
  credential: 'update credential set last_used_at = ? where n = ? and coalesce(last_used_at, 0) <= ?',
  api_key: 'update api_key set last_used_at = ? where id = ? and coalesce(last_used_at, 0) <= ?',
} as const

type Moment = Pick<Transaction, 'now'>

/** Notes that these credentials got tokens, in the transaction that writes those. */
export function* noteCredentialUses({ now }: Moment, credentials: Iterable<number>): Program<void> {
  for (const n of credentials) yield* run(NOTE.credential, now, n, now - LAST_USE_STEP_MS)
}

export function* noteApiKeyUses({ now }: Moment, ids: readonly string[]): Program<null> {
  for (const id of ids) yield* run(NOTE.api_key, now, id, now - LAST_USE_STEP_MS)
  return null
}
