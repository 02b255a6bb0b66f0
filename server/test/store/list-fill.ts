// Drives the fill of a store that was opened without upkeep: one step at a time, as another process would.
import Database from 'better-sqlite3'
import { openForWriting } from '../../src/store/sqlite/connection.ts'
import { drive } from '../../src/store/sqlite/drive.ts'
import { monotonicMs } from '../../src/store/monotonic.ts'
import { fillStep } from '../../src/store/ledger/fill.ts'
import { begin, openTransaction, writingConnection } from '../../src/store/sqlite/transaction.ts'

const BUSY_MS = 5000

export const openCutOffCount = (file: string): number => {
  const db = new Database(file, { readonly: true })
  try {
    return db.prepare<[], { n: number }>(`select count(*) as n from cutoff where state = 'open'`).get()?.n ?? 0
  } finally {
    db.close()
  }
}

/** Runs up to `most` steps, at the store's time `now`; says whether more may be left. */
export const fill = (file: string, now: number, most: number): 'more' | 'nothing_left' => {
  const db = openForWriting(file)
  try {
    const connection = writingConnection(db, () => now)
    let outcome: 'more' | 'nothing_left' = 'more'
    for (let step = 0; step < most && outcome === 'more'; step += 1) {
      begin(connection, monotonicMs() + BUSY_MS)
      outcome = drive(connection.sql, fillStep(openTransaction(connection)))
      connection.sql('commit').run()
    }
    return outcome
  } finally {
    db.close()
  }
}
