// One write transaction: its time, its numbers, its record of who acted. Runs only on the writing connection.
import type { Database } from 'better-sqlite3'
import type { Act } from '../../domain/act.ts'
import { Unavailable } from '../../domain/refusal.ts'
import type { Milliseconds } from '../../domain/time.ts'
import { isBusy } from './connection.ts'
import { LEASE_MS, monotonicMs } from './clock.ts'
import { type LiveTokens, makeLiveTokens } from '../ledger/live-tokens.ts'
import { readServiceRow, type ServiceRow } from '../service-row.ts'
import { type Sets, setsOf } from '../ledger/sets.ts'
import { type Statements, statementsOf } from './statements.ts'

export type Transaction = {
  readonly sql: Statements
  readonly sets: Sets
  readonly live: LiveTokens
  /** The one time of everything this transaction does: read after the lock, never smaller than an earlier one. */
  readonly now: Milliseconds
  /** `service.seq` as it is now, the changes of this transaction included. */
  readonly seq: () => number
  /** Takes the next number, for a change that can refuse or end something. */
  readonly nextSeq: () => number
  /** Records the act for history, and the revocation that it is, if it is one; its number. */
  readonly recordAct: (act: Act, revocationId?: string | null) => number
  /** Writes the act's row of the audit. */
  readonly audit: (act: Act, subject: string | null, detail: object) => void
}

export type WritingConnection = {
  readonly db: Database
  readonly sql: Statements
  readonly sets: Sets
  readonly live: LiveTokens
  readonly clock: () => Milliseconds
  /** How far ahead the lease of the clock is written. */
  readonly leaseMs: number
  /** Throws where the files are no longer the store's. */
  readonly guard: () => void
}

const UNGUARDED = (): void => undefined

export const writingConnection = (
  db: Database,
  clock: () => Milliseconds,
  { leaseMs = LEASE_MS, guard = UNGUARDED }: Partial<Pick<WritingConnection, 'leaseMs' | 'guard'>> = {},
): WritingConnection => {
  const sql = statementsOf(db)
  return { db, sql, sets: setsOf(sql), live: makeLiveTokens(), clock, leaseMs, guard }
}

/** After a rollback: what is remembered may be of what was taken back. */
export const forgetMemory = ({ sets, live }: WritingConnection): void => {
  sets.forget()
  live.forget(null)
}

const RETRY_MS = 1
const sleepCell = new Int32Array(new SharedArrayBuffer(4))

/** Blocks this thread, which does nothing but write, for so many milliseconds. */
export const sleep = (ms: number): void => void Atomics.wait(sleepCell, 0, 0, ms)

/** Takes the write lock; another process may hold it for a moment. `deadline` is in ms of monotonicMs(). */
export const begin = ({ sql, guard }: WritingConnection, deadline: number): void => {
  guard()
  for (;;) {
    try {
      sql('begin immediate').run()
      return
    } catch (fault) {
      if (!isBusy(fault)) throw fault
      if (monotonicMs() >= deadline) throw new Unavailable('Another process held the lock of the store too long.')
      sleep(RETRY_MS)
    }
  }
}

const nextNumber = (connection: WritingConnection): number => {
  const row = connection.sql<{ seq: number }>('update service set seq = seq + 1 returning seq').get()
  if (row === undefined) throw new Error('The store has no service row.')
  return row.seq
}

const ACT = 'insert into act (kind, actor, note, at, request_id, revocation_id) values (?, ?, ?, ?, ?, ?)'

type ActOf = { readonly act: Act; readonly revocationId: string | null; readonly now: Milliseconds }

const insertAct = ({ sql }: WritingConnection, { act, revocationId, now }: ActOf): number => {
  const row = [act.kind, JSON.stringify(act.actor), act.note, now, act.requestId, revocationId]
  return Number(sql(ACT).run(...row).lastInsertRowid)
}

const AUDIT = `insert into audit (at, kind, actor, request_id, source, subject, note, detail)
  values (?, ?, ?, ?, ?, ?, ?, ?)`

/** Opens the view that jobs work with; call it after begin(). Renews the clock's lease where half of it has gone. */
export const openTransaction = (connection: WritingConnection): Transaction => {
  const { sql, sets, live, clock, leaseMs } = connection
  const service: ServiceRow = readServiceRow(sql)
  const now = Math.max(clock(), service.lastAt)
  if (now > service.clockLease - leaseMs / 2) sql('update service set clock_lease = ?').run(now + leaseMs)
  // Neither this nor the number is remembered: a job of the group that fails takes back what it wrote.
  const stampTime = () => sql('update service set last_at = ?').run(now)
  return {
    sql,
    sets,
    live,
    now,
    seq: () => readServiceRow(sql).seq,
    nextSeq: () => {
      stampTime()
      return nextNumber(connection)
    },
    recordAct: (act, revocationId = null) => {
      stampTime()
      return insertAct(connection, { act, revocationId, now })
    },
    audit: (done, subject, detail) => {
      stampTime()
      const row = [now, done.kind, JSON.stringify(done.actor), done.requestId, done.source, subject, done.note]
      sql(AUDIT).run(...row, JSON.stringify(detail))
    },
  }
}
