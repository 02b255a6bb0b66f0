// Leads signing keys through their life, a step a transaction: counts the time that a service ran, and does what is due.
import { systemAct } from '../../domain/audit/act.ts'
import {
  dueLifeStep,
  isCounted,
  keyIn,
  type KeyPolicy,
  type KeyRecord,
  type KeyState,
  type LifeStep,
} from '../../domain/keys/key-life.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { type Program, run } from '../statement-program.ts'
import { audit, nextSeq, type Transaction } from '../transaction.ts'
import { leave, promote } from './key-acts.ts'
import { longestLifetime, readKeysInLife } from './signing-keys.ts'
import type { SigningKeyMaker, SigningKeyRepository } from '../../ports/signing-keys.ts'
import type { Timing } from '../../ports/timing.ts'
import { inBackground, type OnFault } from '../background.ts'

export type KeyKeeping = {
  readonly timing: Pick<Timing, 'keyCheckMs'>
  readonly policy: KeyPolicy
  /** Returns the running time, in ms from any origin. */
  readonly steady: () => Milliseconds
  /** Called when there is no key to follow the current one: this thread has no private keys. */
  readonly onKeyWanted: () => void
}

type Doing = Exclude<LifeStep, { kind: 'make' }>

/** A step that another process has taken meanwhile is not due any more: `step` was decided on in this transaction. */
function* take(tx: Transaction, { kind, key }: Doing): Program<void> {
  const { kid } = key.publicJwk
  if (kind === 'promote') {
    const before = keyIn(yield* readKeysInLife(), 'current')?.publicJwk.kid ?? null
    const seq = yield* promote(tx, key)
    const [was, is] = [{ current: before }, { current: kid }]
    yield* audit(tx, systemAct('signing_key.rotate'), kid, { seq, before: was, after: is })
    return
  }
  const seq = yield* nextSeq(tx)
  yield* leave(tx, key, 'gone')
  const [was, is] = [{ state: key.state }, { state: 'gone' }]
  yield* audit(tx, systemAct('signing_key.drop'), kid, { seq, before: was, after: is })
}

const COUNT = 'update signing_key set steady_ms = steady_ms + ? where n = ?'

/** The work of one transaction; what it returns is done once that is committed. */
type KeyStep = (tx: Transaction) => Program<() => void>

/** Returns, whenever something is due, the work of one transaction. */
export const makeKeyScheduler = ({ timing, policy, steady, onKeyWanted }: KeyKeeping) => {
  let checkedAt = Number.NEGATIVE_INFINITY
  let countedAt = steady()
  /** Keys as they stood at the last check: only what has been in its state since then gets the time since. */
  let known = new Map<number, KeyState>()

  function* dueStep(keys: readonly KeyRecord[], now: Milliseconds): Program<LifeStep | undefined> {
    const longest = Math.max(policy.lifetimeSeconds, yield* longestLifetime())
    return dueLifeStep({ keys, policy, longest, now })
  }

  function* count(at: Milliseconds): Program<void> {
    for (const key of yield* readKeysInLife()) {
      if (isCounted(key) && known.get(key.number) === key.state) yield* run(COUNT, at - countedAt, key.number)
    }
  }

  const cache = (keys: readonly KeyRecord[], at: Milliseconds): void => {
    known = new Map(keys.map(({ number, state }) => [number, state]))
    countedAt = at
    checkedAt = at
  }

  const stepAt = (at: Milliseconds): KeyStep =>
    function* (tx) {
      yield* count(at)
      const step = yield* dueStep(yield* readKeysInLife(), tx.now)
      if (step !== undefined && step.kind !== 'make') yield* take(tx, step)
      const after = yield* readKeysInLife()
      return () => {
        cache(after, at)
        // There may be more to do.
        if (step !== undefined && step.kind !== 'make') checkedAt = Number.NEGATIVE_INFINITY
      }
    }

  return function* (now: () => Milliseconds): Program<KeyStep | undefined> {
    const at = steady()
    if (at - checkedAt < timing.keyCheckMs) return undefined
    const keys = yield* readKeysInLife()
    const due = yield* dueStep(keys, now())
    if (due?.kind === 'make') onKeyWanted()
    if (keys.some(isCounted) || (due !== undefined && due.kind !== 'make')) return stepAt(at)
    cache(keys, at)
    return undefined
  }
}

type Supply = {
  /** Null where the scheduler makes no keys. */
  readonly maker: Pick<SigningKeyMaker, 'make'> | null
  /** The repository, which resolves once the store is open. */
  readonly signingKeys: Promise<Pick<SigningKeyRepository, 'createNext'>>
  readonly onFault: OnFault
}

/** Returns a function to call when a key is wanted, and again until there is one: it makes one at a time. */
export const supplyKeys = ({ maker, signingKeys, onFault }: Supply): (() => void) => {
  let making = false
  const supply = async (): Promise<void> => {
    if (making || maker === null) return
    making = true
    try {
      const key = await maker.make()
      await (await signingKeys).createNext(key, systemAct('signing_key.create'))
    } finally {
      making = false
    }
  }
  return () => void inBackground('new signing key', supply, onFault)
}
