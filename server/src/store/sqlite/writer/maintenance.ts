// Does the maintenance on the writing thread, between requests.
import type { Timing } from '../../../ports/timing.ts'
import { monotonicMs } from '../../clocks.ts'
import { makeMaintenanceSchedule, type Step, type MaintenanceOptions } from '../../maintenance.ts'
import { isStoreFault } from '../connection/connection.ts'
import { runProgram } from '../connection/database.ts'
import { begin, forgetMemory, openTransaction, type WritingConnection } from '../connection/transaction.ts'
import { REASONS } from '../../../../../api/values/reason.ts'
import { lowestIdAt } from '../../../domain/ledger/claims.ts'
import { makeRetentionStep, RETENTION_ROWS } from '../../retention.ts'
import { bytesOfId } from '../../rows.ts'
import { all, run } from '../../statement-program.ts'

// Retention on SQLite: tokens go row by row.

type Row = { readonly id: Uint8Array }

const EXPIRED = 'select id from token where life = ? and id < ? order by id limit ?'
const ENDED = 'select id from ended where reason = ? and at < ? order by at, id limit ?'

/** Removes at most RETENTION_ROWS rows in one step. */
export const retentionStep = makeRetentionStep({
  removeExpired: function* ({ now }, life, { expiredMs }) {
    // The last second whose tokens of this lifetime expired at least `expiredMs` ago.
    const bound = lowestIdAt(1000 * (Math.floor((now - expiredMs) / 1000) - life + 1))
    const rows = yield* all<Row>(EXPIRED, life, bytesOfId(bound), RETENTION_ROWS)
    for (const { id } of rows) yield* run('delete from token where life = ? and id = ?', life, id)
    return rows.length
  },
  removeEnded: function* (_tx, before) {
    let removed = 0
    for (const reason of Object.values(REASONS)) {
      const rows: readonly Row[] = yield* all<Row>(ENDED, reason, before, RETENTION_ROWS - removed)
      for (const { id } of rows) yield* run('delete from ended where id = ?', id)
      removed += rows.length
      if (removed >= RETENTION_ROWS) break
    }
    return removed
  },
})

/** While somebody asks for something, the backfill works for one part in so many of the time: it is in no hurry, they are. */
const BACKFILL_PARTS = 8

type MaintenanceSurroundings = Omit<MaintenanceOptions, 'retentionStep'> & {
  readonly timing: Pick<Timing, 'lastRequestMs' | 'maintenanceBusyMs' | 'maintenanceMs'>
  /** Pauses where another process may be waiting for the lock. */
  readonly leaveGap: () => void
  /** When somebody last asked for something, in ms of monotonicMs(). */
  readonly askedAt: () => number
}

const runStep = (connection: WritingConnection, { work }: Step, busyMs: number): void => {
  begin(connection, monotonicMs() + busyMs)
  try {
    const tx = openTransaction(connection)
    const committed = runProgram(connection.sql, work(tx))
    connection.sql('commit').run()
    connection.onCommitted(tx)
    committed?.()
  } catch (fault) {
    if (connection.db.inTransaction()) connection.db.exec('rollback')
    forgetMemory(connection)
    throw fault
  }
}

/** Tasks with many steps, one after another. */
const MANY_ROWS: ReadonlySet<string> = new Set(['backfill of revocations', 'descendants of ended tokens'])

export type RunningMaintenance = {
  /** Says that an act was done. */
  readonly wake: () => void
  /** Begins nothing more. */
  readonly stop: () => void
}

/** Starts the maintenance. Its steps give way to requests. */
export const startMaintenance = (
  connection: WritingConnection,
  surroundings: MaintenanceSurroundings,
): RunningMaintenance => {
  const { timing, leaveGap, askedAt } = surroundings
  const maintenance = makeMaintenanceSchedule({ ...surroundings, retentionStep })
  let running = false
  let isStopped = false

  const pauseAfter = ({ name }: Step, began: number): number => {
    const now = monotonicMs()
    return MANY_ROWS.has(name) && now - askedAt() < timing.lastRequestMs ? (BACKFILL_PARTS - 1) * (now - began) : 0
  }

  /** Whether there may be more to do after a fault. */
  const goOnAfter = (fault: unknown): boolean => {
    // Nothing could be written on this connection any more: the thread ends, and its successor opens another.
    if (connection.db.inTransaction()) throw fault
    return maintenance.failed(fault, isStoreFault(fault))
  }

  const turn = (): void => {
    running = false
    // Stopped since this turn was scheduled: the store is closed.
    if (isStopped) return
    let pauseMs = 0
    try {
      const step = runProgram(connection.sql, maintenance.due(connection.clock))
      if (step === undefined) return
      leaveGap()
      const began = monotonicMs()
      runStep(connection, step, timing.maintenanceBusyMs)
      pauseMs = pauseAfter(step, began)
    } catch (fault) {
      if (!goOnAfter(fault)) return
    }
    wake(pauseMs)
  }

  const wake = (pauseMs = 0): void => {
    if (running) return
    running = true
    // Requests that arrived meanwhile go first.
    if (pauseMs > 0) setTimeout(turn, pauseMs)
    else setImmediate(turn)
  }

  const tick = (): void => {
    maintenance.tick()
    wake()
  }

  const ticking = setInterval(tick, timing.maintenanceMs).unref()
  const stop = (): void => {
    isStopped = true
    clearInterval(ticking)
  }
  return { wake, stop }
}
