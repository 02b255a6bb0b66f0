// The reading side of a serving thread: snapshots of the store, with the store's clock, and no statement left open.
import type { Database } from 'better-sqlite3'
import type { CutOff } from '../../domain/ledger.ts'
import { Unavailable } from '../../domain/refusal.ts'
import type { Milliseconds } from '../../domain/time.ts'
import { LEASE_MS } from './clock.ts'
import { isBusy, isStoreFault } from './connection.ts'
import { readOpenCutOffs } from '../ledger/cut-offs.ts'
import { readServiceRow, type ServiceRow } from '../service-row.ts'
import { type Sets, setsOf } from '../ledger/sets.ts'
import { type Statements, statementsOf } from './statements.ts'
import type { Writer } from './writer-client.ts'

export type Snapshot = {
  readonly sql: Statements
  readonly sets: Sets
  readonly service: ServiceRow
  readonly now: Milliseconds
  /** Open cut-offs as of this snapshot, by number. */
  readonly cutOffs: () => readonly CutOff[]
}

export type Reader = {
  /** Reads in one snapshot, at a time that the clock's lease covers. */
  readonly read: <T>(work: (snapshot: Snapshot) => T) => Promise<T>
  /** The same for what tells no time: it waits for no lease. */
  readonly readUntimed: <T>(work: (snapshot: Snapshot) => T) => T
  readonly close: () => void
}

const ATTEMPTS = 5

const asUnavailable = (fault: unknown): unknown =>
  isStoreFault(fault) && fault instanceof Error && !(fault instanceof Unavailable)
    ? new Unavailable(`The store cannot be read: ${fault.message}`)
    : fault

/** No `await` stands between begin and commit: one thread, one snapshot. */
export const makeReader = (db: Database, clock: () => Milliseconds, writer: Pick<Writer, 'call'>): Reader => {
  const sql = statementsOf(db)
  const sets = setsOf(sql)
  let renewing: Promise<unknown> | undefined

  const renewLease = (): Promise<unknown> => {
    renewing ??= writer.call('renewLease', null).finally(() => {
      renewing = undefined
    })
    return renewing
  }

  const snapshot = <T>(work: (snapshot: Snapshot) => T): T => {
    sql('begin').run()
    try {
      const service = readServiceRow(sql)
      let cutOffs: readonly CutOff[] | undefined
      const now = Math.max(clock(), service.lastAt)
      return work({ sql, sets, service, now, cutOffs: () => (cutOffs ??= readOpenCutOffs(sql)) })
    } finally {
      if (db.inTransaction) sql('commit').run()
    }
  }

  const attempt = <T>(work: (snapshot: Snapshot) => T): T => {
    for (let n = 1; ; n += 1) {
      try {
        return snapshot(work)
      } catch (fault) {
        if (!isBusy(fault) || n >= ATTEMPTS) throw asUnavailable(fault)
      }
    }
  }

  const LATE = Symbol('the lease of the clock has run out')

  return {
    readUntimed: attempt,
    read: async work => {
      for (let n = 0; n < ATTEMPTS; n += 1) {
        const answer = attempt(seen => {
          if (seen.now > seen.service.clockLease) return LATE
          if (seen.now > seen.service.clockLease - LEASE_MS / 2) renewLease().catch(() => undefined)
          return work(seen)
        })
        if (answer !== LATE) return answer
        await renewLease()
      }
      throw new Unavailable('The lease of the clock could not be renewed in time.')
    },
    close: () => db.close(),
  }
}
