// What the writing thread does between requests: it seals the audit log, leads signing keys through their life, forgets
// proofs, fills open cut-offs, and removes what has been kept long enough.
import type { KeyPolicy } from '../../domain/key-life.ts'
import type { Seal } from '../../domain/seal.ts'
import { monotonicMs } from './clock.ts'
import { isStoreFault } from './connection.ts'
import { fillStep } from '../ledger/fill.ts'
import { type KeyKeeping, makeKeyKeeper } from '../signing-keys/key-keeper.ts'
import { forgetProofs, proofsDue } from '../ledger/proofs.ts'
import { type Retention, retentionStep } from './retention.ts'
import { isSealDue, SEAL_ENTRIES_MAX, type SealKey, sealStep } from '../audit/seals.ts'
import { begin, forgetMemory, openTransaction, type Transaction, type WritingConnection } from './transaction.ts'

// Half of what a seal may be behind: an entry that just missed one waits for the rest of a pause, and for a turn.
const EVERY_MS = 500
const SEAL_PAUSE_MS = 500
const RETENTION_EVERY_MS = 60_000
const BUSY_MS = 1000
/** While somebody asks for something, the fill works for one part in so many of the time: it is in no hurry, they are. */
const FILL_PARTS = 8
/** Whoever reads renews the lease of the clock each half second; whoever issues or ends comes here with each request. */
const ASKED_MS = 1000

/** What a service keeps up. */
export type Upkeep = {
  readonly retention: Retention
  /** Null: nothing is sealed. */
  readonly sealKey: SealKey | null
  /** Null: signing keys stay as they are. */
  readonly keyPolicy: KeyPolicy | null
}

export type UpkeepOptions = Upkeep &
  Pick<KeyKeeping, 'steady' | 'onKeyWanted'> & {
    /** Pauses where another process may be waiting for the lock. */
    readonly leaveGap: () => void
    /** When somebody last asked for something, in ms of monotonicMs(). */
    readonly askedAt: () => number
    /** Told of each seal once it is durable. */
    readonly onSeal: (seal: Seal) => void
  }

/** A transaction's work; what it gives is done once that is committed. */
type Step = (tx: Transaction) => (() => void) | undefined

const runStep = (connection: WritingConnection, step: Step): void => {
  begin(connection, monotonicMs() + BUSY_MS)
  try {
    const committed = step(openTransaction(connection))
    connection.sql('commit').run()
    committed?.()
  } catch (fault) {
    if (connection.db.inTransaction) connection.db.exec('rollback')
    forgetMemory(connection)
    throw fault
  }
}

const fill: Step = tx => void fillStep(tx)

/** Seals at most once a pause, so that entries share a commit; a backlog without one. */
const makeSealer = (connection: WritingConnection, key: SealKey, onSeal: (seal: Seal) => void) => {
  let sealedAt = Number.NEGATIVE_INFINITY
  let isBehind = false
  return (): Step | undefined => {
    if (!isBehind && monotonicMs() - sealedAt < SEAL_PAUSE_MS) return undefined
    isBehind = isSealDue(connection.sql, key)
    if (!isBehind) return undefined
    return tx => {
      const seal = sealStep(tx, key.bytes)
      return () => {
        sealedAt = monotonicMs()
        isBehind = seal?.count === SEAL_ENTRIES_MAX
        if (seal !== undefined) onSeal(seal)
      }
    }
  }
}

/** Starts the upkeep; the function it gives says that an act was done. Steps give way to requests. */
export const startUpkeep = (connection: WritingConnection, options: UpkeepOptions): (() => void) => {
  const { retention, sealKey, keyPolicy, leaveGap, askedAt, onSeal } = options
  const sealDue = sealKey === null ? () => undefined : makeSealer(connection, sealKey, onSeal)
  const proofs = proofsDue(connection)
  const keyStep =
    keyPolicy === null ? () => undefined : makeKeyKeeper(connection.sql, { ...options, policy: keyPolicy })
  let retainedAt = Number.NEGATIVE_INFINITY
  let running = false

  const due = (): Step | undefined => {
    const seal = sealDue()
    const step = seal ?? keyStep(connection.clock)
    if (step !== undefined) return step
    if (proofs.isDue()) return tx => (forgetProofs(tx) === 'more' ? undefined : proofs.done)
    if (connection.sql(`select 1 from cutoff where state = 'open'`).get() !== undefined) return fill
    if (monotonicMs() - retainedAt < RETENTION_EVERY_MS) return undefined
    return tx => {
      if (retentionStep(tx, retention) === 'more') return undefined
      return () => {
        retainedAt = monotonicMs()
      }
    }
  }

  const pauseAfter = (step: Step, began: number): number => {
    const now = monotonicMs()
    return step === fill && now - askedAt() < ASKED_MS ? (FILL_PARTS - 1) * (now - began) : 0
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
