// Sets the store's clock back, after a wrong one had carried it far ahead. All tokens end first.
import type { Act } from '../../domain/audit/act.ts'
import { NO_CONDITION } from '../../domain/ledger/ledger.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { beginEpoch } from '../feed/open-feed.ts'
import { endAll } from '../ledger/end-tokens.ts'
import { run, type Program } from '../statement-program.ts'
import { DROPS } from '../subjects.ts'
import { audit, type Transaction } from '../transaction.ts'

/** The tokens end at `wall`, by the clock that counts from now on; then the lease starts there. */
export function* endAndReset(tx: Transaction, act: Act, wall: Milliseconds): Program<void> {
  // Facts would stay until the new clock reaches the old one. The end of all tokens, a fact itself, replaces them.
  yield* run('delete from fact')
  const seq = yield* endAll(tx, { conditions: NO_CONDITION, reason: 'bulk_revocation', act, at: wall })
  yield* audit(tx, act, null, { seq, from: tx.now, to: wall })
  for (const drop of DROPS) yield* drop()
  yield* beginEpoch()
  yield* run('update service set clock_lease = ?, last_at = ?', wall, wall)
  // The age of a key counts from then on: else a rotation would wait for the clock to come back.
  yield* run('update signing_key set signs_from = ? where signs_from > ?', wall, wall)
}
