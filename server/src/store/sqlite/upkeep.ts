// What the writing thread does between requests: it fills open cut-offs, and removes what has been kept long enough.
import { monotonicMs } from './clock.ts'
import { isStoreFault } from './connection.ts'
import { fillStep } from './fill.ts'
import { type Retention, retentionStep } from './retention.ts'
import { begin, openTransaction, type Transaction, type WritingConnection } from './transaction.ts'

const EVERY_MS = 1000
const RETENTION_EVERY_MS = 60_000
const BUSY_MS = 1000
/** While somebody asks for something, the fill works for one part in so many of the time: it is in no hurry, they are. */
const FILL_PARTS = 8
/** Whoever reads renews the lease of the clock each half second; whoever issues or ends comes here with each request. */
const ASKED_MS = 1000

type Step = (tx: Transaction) => 'more' | 'nothing_left'

const runStep = (connection: WritingConnection, step: Step): 'more' | 'nothing_left' => {
  begin(connection, monotonicMs() + BUSY_MS)
  try {
    const outcome = step(openTransaction(connection))
    connection.sql('commit').run()
    return outcome
  } catch (fault) {
    if (connection.db.inTransaction) connection.db.exec('rollback')
    connection.sets.forget()
    throw fault
  }
}

export type Surroundings = {
  /** Leaves the lock to another process now and then. */
  readonly leaveGap: () => void
  /** When somebody last asked for something, in ms of monotonicMs(). */
  readonly askedAt: () => number
}

/** Starts the upkeep; the function it gives says that an act may have opened a cut-off. Steps give way to requests. */
export const startUpkeep = (
  connection: WritingConnection,
  retention: Retention,
  { leaveGap, askedAt }: Surroundings,
): (() => void) => {
  let retainedAt = Number.NEGATIVE_INFINITY
  let running = false

  const due = (): Step | undefined => {
    if (connection.sql(`select 1 from cutoff where state = 'open'`).get() !== undefined) return fillStep
    if (monotonicMs() - retainedAt < RETENTION_EVERY_MS) return undefined
    return tx => {
      const outcome = retentionStep(tx, retention)
      if (outcome === 'nothing_left') retainedAt = monotonicMs()
      return outcome
    }
  }

  const pauseAfter = (step: Step, began: number): number => {
    const now = monotonicMs()
    return step === fillStep && now - askedAt() < ASKED_MS ? (FILL_PARTS - 1) * (now - began) : 0
  }

  const turn = (): void => {
    running = false
    let pauseMs = 0
    try {
      const step = due()
      if (step === undefined) return
      leaveGap()
      const began = monotonicMs()
      runStep(connection, step)
      pauseMs = pauseAfter(step, began)
    } catch (fault) {
      // A store that cannot be written is told to every caller and to /readyz; here the next turn tries again.
      if (isStoreFault(fault)) return
      throw fault
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

  setInterval(() => wake(), EVERY_MS).unref()
  return wake
}
