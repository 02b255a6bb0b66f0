// What a store keeps up between requests, a step a transaction: it seals the audit log, leads signing keys through their
// life, forgets proofs, fills open cut-offs, and removes what has been kept long enough.
import type { KeyPolicy } from '../domain/key-life.ts'
import type { Seal } from '../domain/seal.ts'
import type { Milliseconds } from '../domain/time.ts'
import { isSealDue, SEAL_ENTRIES_MAX, type SealKey, sealStep } from './audit/seals.ts'
import { fillStep } from './ledger/fill.ts'
import { areProofsOld, forgetProofs } from './ledger/proofs.ts'
import { monotonicMs } from './monotonic.ts'
import type { makeRetentionStep, Retention } from './retention.ts'
import { first, type Script } from './script.ts'
import { type KeyKeeping, makeKeyKeeper } from './signing-keys/key-keeper.ts'
import type { Transaction } from './transaction.ts'

const SEAL_PAUSE_MS = 500
const FORGET_EVERY_MS = 5000
const RETENTION_EVERY_MS = 60_000

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
    readonly retentionStep: ReturnType<typeof makeRetentionStep>
    /** Told of each seal once it is durable. */
    readonly onSeal: (seal: Seal) => void
  }

/** A transaction's work; what it gives is done once that is committed. */
export type Step = {
  readonly kind: 'seal' | 'keys' | 'proofs' | 'fill' | 'retention'
  readonly work: (tx: Transaction) => Script<(() => void) | undefined>
}

/** What is due of one kind, if anything is, by what a snapshot of now says. */
type Due = (now: () => Milliseconds) => Script<Step | undefined>

/** Seals at most once a pause, so that entries share a commit; a backlog without one. */
const sealing = (key: SealKey, onSeal: (seal: Seal) => void): Due => {
  let sealedAt = Number.NEGATIVE_INFINITY
  let isBehind = false
  function* work(tx: Transaction): Script<() => void> {
    const seal = yield* sealStep(tx, key.bytes)
    return () => {
      sealedAt = monotonicMs()
      isBehind = seal?.count === SEAL_ENTRIES_MAX
      if (seal !== undefined) onSeal(seal)
    }
  }
  return function* () {
    if (!isBehind && monotonicMs() - sealedAt < SEAL_PAUSE_MS) return undefined
    isBehind = yield* isSealDue(key)
    return isBehind ? { kind: 'seal', work } : undefined
  }
}

const keeping = (options: KeyKeeping): Due => {
  const due = makeKeyKeeper(options)
  return function* (now) {
    const work = yield* due(now)
    return work === undefined ? undefined : { kind: 'keys', work }
  }
}

/** Every few seconds, and while there are more at once. */
const forgetting = (): Due => {
  let doneAt = Number.NEGATIVE_INFINITY
  function* work(tx: Transaction): Script<(() => void) | undefined> {
    if ((yield* forgetProofs(tx)) === 'more') return undefined
    return () => {
      doneAt = monotonicMs()
    }
  }
  return function* (now) {
    const isDue = monotonicMs() - doneAt >= FORGET_EVERY_MS && (yield* areProofsOld({ now: now() }))
    return isDue ? { kind: 'proofs', work } : undefined
  }
}

const OPEN = `select 1 as found from cutoff where state = 'open' limit 1`

function* fill(tx: Transaction): Script<undefined> {
  yield* fillStep(tx)
}

function* filling(): Script<Step | undefined> {
  return (yield* first(OPEN)) === undefined ? undefined : { kind: 'fill', work: fill }
}

const removing = ({ retention, retentionStep }: UpkeepOptions): Due => {
  let doneAt = Number.NEGATIVE_INFINITY
  function* work(tx: Transaction): Script<(() => void) | undefined> {
    if ((yield* retentionStep(tx, retention)) === 'more') return undefined
    return () => {
      doneAt = monotonicMs()
    }
  }
  return function* () {
    yield* []
    return monotonicMs() - doneAt < RETENTION_EVERY_MS ? undefined : { kind: 'retention', work }
  }
}

/** Gives the step that is due first, or undefined: then nothing is. */
export const makeUpkeep = (options: UpkeepOptions): Due => {
  const { sealKey, keyPolicy, onSeal } = options
  const dues = [
    ...(sealKey === null ? [] : [sealing(sealKey, onSeal)]),
    ...(keyPolicy === null ? [] : [keeping({ ...options, policy: keyPolicy })]),
    forgetting(),
    filling,
    removing(options),
  ]
  return function* (now) {
    for (const due of dues) {
      const step = yield* due(now)
      if (step !== undefined) return step
    }
    return undefined
  }
}
