// Sets the store's clock back to the machine's, after a wrong clock had carried it far ahead. All tokens end first.
import type { Act } from '../../domain/act.ts'
import { NO_CONDITION } from '../../domain/ledger.ts'
import type { Milliseconds } from '../../domain/time.ts'
import { endAll } from '../ledger/end-tokens.ts'
import { dropAllIssueCounts } from '../ledger/issue-counts.ts'
import { monotonicMs } from '../monotonic.ts'
import { run, type Script } from '../script.ts'
import { readServiceRow } from './service-row.ts'
import { audit, type Transaction } from '../transaction.ts'
import { openForWriting, refuseForeignUser } from './connection.ts'
import { drive } from './drive.ts'
import { takeServingLock } from './serving-lock.ts'
import { begin, openTransaction, writingConnection } from './transaction.ts'

const BUSY_MS = 10_000

function* endAndReset(tx: Transaction, act: Act, wall: Milliseconds): Script<void> {
  const seq = yield* endAll(tx, { conditions: NO_CONDITION, reason: 'bulk_revocation', act, at: wall })
  yield* audit(tx, act, null, { seq, from: tx.now, to: wall })
  yield* dropAllIssueCounts()
  yield* run('update service set clock_lease = ?, last_at = ?', wall, wall)
  // The age of a key counts from then on: else a rotation would wait for the clock to come back.
  yield* run('update signing_key set signs_from = min(signs_from, ?)', wall)
}

/** The tokens end at `wall`, by the clock that counts from now on; then the lease starts there. */
export const resetClock = ({ file, act, wall }: { file: string; act: Act; wall: Milliseconds }): void => {
  refuseForeignUser(file)
  // A service that runs has the clock in its memory, and would write it back.
  const unlock = takeServingLock(file)
  const db = openForWriting(file)
  try {
    const connection = writingConnection(db, () => readServiceRow(connection.sql).clockLease)
    begin(connection, monotonicMs() + BUSY_MS)
    drive(connection.sql, endAndReset(openTransaction(connection), act, wall))
    connection.sql('commit').run()
  } finally {
    db.close()
    unlock()
  }
}
