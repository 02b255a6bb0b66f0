// Sets the store's clock back to the machine's, after a wrong clock had carried it far ahead. All tokens end first.
import type { Act } from '../../domain/act.ts'
import { NO_CONDITION } from '../../domain/ledger.ts'
import type { Milliseconds } from '../../domain/time.ts'
import { monotonicMs } from './clock.ts'
import { openForWriting, refuseForeignUser } from './connection.ts'
import { endAll } from '../ledger/end-tokens.ts'
import { dropAllIssueCounts } from '../ledger/issue-counts.ts'
import { readServiceRow } from '../service-row.ts'
import { takeServingLock } from './serving-lock.ts'
import { begin, openTransaction, writingConnection } from './transaction.ts'

const BUSY_MS = 10_000

/** The tokens end at `wall`, by the clock that counts from now on; then the lease starts there. */
export const resetClock = ({ file, act, wall }: { file: string; act: Act; wall: Milliseconds }): void => {
  refuseForeignUser(file)
  // A service that runs has the clock in its memory, and would write it back.
  const unlock = takeServingLock(file)
  const db = openForWriting(file)
  try {
    const connection = writingConnection(db, () => readServiceRow(connection.sql).clockLease)
    begin(connection, monotonicMs() + BUSY_MS)
    const tx = openTransaction(connection)
    const seq = endAll(tx, { conditions: NO_CONDITION, reason: 'bulk_revocation', act, at: wall })
    tx.audit(act, null, { seq, from: tx.now, to: wall })
    dropAllIssueCounts(tx.sql)
    connection.sql('update service set clock_lease = ?, last_at = ?').run(wall, wall)
    // The age of a key counts from then on: else a rotation would wait for the clock to come back.
    connection.sql('update signing_key set signs_from = min(signs_from, ?)').run(wall)
    connection.sql('commit').run()
  } finally {
    db.close()
    unlock()
  }
}
