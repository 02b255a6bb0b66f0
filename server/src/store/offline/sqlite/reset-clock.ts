// Sets the store's clock back to the machine's, after a wrong clock had carried it far ahead. All tokens end first.
import type { Act } from '../../../domain/audit/act.ts'
import type { Milliseconds } from '../../../../../api/values/time.ts'
import { monotonicMs } from '../../clocks.ts'
import { endAndReset } from '../reset-clock.ts'
import { openForWriting, refuseForeignUser } from '../../sqlite/connection/connection.ts'
import { readServiceRow, runProgram } from '../../sqlite/connection/database.ts'
import { takeServingLock } from '../../sqlite/connection/serving-lock.ts'
import { begin, type OfflineTiming, openTransaction, writingConnection } from '../../sqlite/connection/transaction.ts'

type Options = {
  readonly file: string
  readonly timing: OfflineTiming
  readonly act: Act
  readonly wall: Milliseconds
}

/** The tokens end at `wall`, by the clock that counts from now on; then the lease starts there. */
export const resetClock = ({ file, timing, act, wall }: Options): void => {
  refuseForeignUser(file)
  // A service that runs has the clock in its memory, and would write it back.
  const unlock = takeServingLock(file)
  const db = openForWriting(file)
  try {
    const connection = writingConnection(db, () => readServiceRow(connection.sql).clockLease, { timing })
    begin(connection, monotonicMs() + timing.sqliteLockMs)
    runProgram(connection.sql, endAndReset(openTransaction(connection), act, wall))
    connection.sql('commit').run()
  } finally {
    db.close()
    unlock()
  }
}
