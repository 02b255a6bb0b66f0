// Leads signing keys through their life, a step a transaction: counts the time that a service ran, and does what is due.
import { systemAct } from '../../domain/act.ts'
import {
  dueLifeStep,
  isCounted,
  type KeyPolicy,
  type KeyRecord,
  type KeyState,
  keyIn,
  type LifeStep,
} from '../../domain/key-life.ts'
import type { Milliseconds } from '../../domain/time.ts'
import { leave, promote } from './key-acts.ts'
import { longestLifetime, readKeysInLife } from './signing-keys.ts'
import type { Statements } from '../sqlite/statements.ts'
import type { Transaction } from '../sqlite/transaction.ts'

/** How often the keys are looked at. So much running time a crash may lose of what was counted. */
export const LOOK_EVERY_MS = 5000

export type KeyKeeping = {
  readonly policy: KeyPolicy
  /** Running time, in ms from any origin. */
  readonly steady: () => Milliseconds
  /** Told that there is no key to follow the current one: this thread has no private keys. */
  readonly onKeyWanted: () => void
}

type Doing = Exclude<LifeStep, { kind: 'make' }>

/** A step that another process has taken meanwhile is not due any more: `step` was decided on in this transaction. */
const take = (tx: Transaction, { kind, key }: Doing): void => {
  const { kid } = key.publicJwk
  if (kind === 'promote') {
    const before = keyIn(readKeysInLife(tx.sql), 'current')?.publicJwk.kid ?? null
    const seq = promote(tx, key)
    tx.audit(systemAct('signing_key.rotate'), kid, { seq, before: { current: before }, after: { current: kid } })
    return
  }
  const seq = tx.nextSeq()
  leave(tx, key, 'gone')
  tx.audit(systemAct('signing_key.drop'), kid, { seq, before: { state: key.state }, after: { state: 'gone' } })
}

const COUNT = 'update signing_key set steady_ms = steady_ms + ? where n = ?'

/** Gives, whenever something is due, the work of one transaction; what that gives is done once it is committed. */
export const makeKeyKeeper = (sql: Statements, { policy, steady, onKeyWanted }: KeyKeeping) => {
  let lookedAt = Number.NEGATIVE_INFINITY
  let countedAt = steady()
  /** Keys as they stood at the last look: only what has been in its state since then gets the time since. */
  let known = new Map<number, KeyState>()

  const viewOf = (keys: readonly KeyRecord[], now: Milliseconds) => ({
    keys,
    policy,
    longest: Math.max(policy.lifetimeSeconds, longestLifetime(sql)),
    now,
  })

  const count = (tx: Transaction, at: Milliseconds): void => {
    for (const key of readKeysInLife(tx.sql)) {
      if (isCounted(key) && known.get(key.number) === key.state) tx.sql(COUNT).run(at - countedAt, key.number)
    }
  }

  const remember = (keys: readonly KeyRecord[], at: Milliseconds): void => {
    known = new Map(keys.map(({ number, state }) => [number, state]))
    countedAt = at
    lookedAt = at
  }

  return (now: () => Milliseconds): ((tx: Transaction) => () => void) | undefined => {
    const at = steady()
    if (at - lookedAt < LOOK_EVERY_MS) return undefined
    const keys = readKeysInLife(sql)
    const due = dueLifeStep(viewOf(keys, now()))
    if (due?.kind === 'make') onKeyWanted()
    if (!keys.some(isCounted) && (due === undefined || due.kind === 'make')) {
      remember(keys, at)
      return undefined
    }
    return tx => {
      count(tx, at)
      const step = dueLifeStep(viewOf(readKeysInLife(tx.sql), tx.now))
      if (step !== undefined && step.kind !== 'make') take(tx, step)
      const after = readKeysInLife(tx.sql)
      return () => {
        remember(after, at)
        // There may be more to do.
        if (step !== undefined && step.kind !== 'make') lookedAt = Number.NEGATIVE_INFINITY
      }
    }
  }
}
