// Sets the store's clock back to the machine's, after a wrong clock had carried it far ahead. All tokens end first.
import type { Act } from '../../../domain/audit/act.ts'
import type { Milliseconds } from '../../../../../api/values/time.ts'
import { monotonicMs } from '../../monotonic.ts'
import { endAndReset } from '../reset-clock.ts'
import { openForWriting, refuseForeignUser } from '../../sqlite/connection/connection.ts'
import { readServiceRow, runProgram } from '../../sqlite/connection/statements.ts'
import { takeServingLock } from '../../sqlite/connection/serving-lock.ts'
import { begin, openTransaction, writingConnection } from '../../sqlite/connection/transaction.ts'

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
    runProgram(connection.sql, endAndReset(openTransaction(connection), act, wall))
    connection.sql('commit').run()
  } finally {
    db.close()
    unlock()
  }
}
