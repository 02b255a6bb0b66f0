// What a store maintains between requests, a step a transaction: it seals the audit log, leads signing keys through their
// life, forgets proofs, backfills open cut-offs, and removes what has been kept long enough.
import type { KeyPolicy } from '../domain/keys/key-life.ts'
import type { Seal } from '../domain/audit/seal.ts'
import type { Milliseconds } from '../../../api/values/time.ts'
import type { BackgroundTask, OnFault } from './background.ts'
import { isSealDue, SEAL_ENTRIES_MAX, type SealKey, sealStep } from './audit/seals.ts'
import { backfillStep } from './ledger/backfill.ts'
import { isFeedClosed, openFeed } from './feed/open-feed.ts'
import { cascadeStep, hasCascades } from './ledger/cascades.ts'
import { monotonicMs } from './clocks.ts'
import type { Timing } from '../ports/timing.ts'
import type { makeRetentionStep, Retention } from './retention.ts'
import { first, type Program } from './statement-program.ts'
import { type KeyKeeping, makeKeyScheduler } from './signing-keys/key-scheduler.ts'
import { type Forgetting, FORGETS } from './subjects.ts'
import { stampTime, type Transaction } from './transaction.ts'

export type MaintenanceTiming = Pick<
  Timing,
  'feedOpeningMs' | 'forgetMs' | 'keyCheckMs' | 'retentionMs' | 'sealPauseMs'
>

/** What a service maintains. */
export type Maintenance = {
  readonly retention: Retention
  /** Null where the log is not sealed. */
  readonly sealKey: SealKey | null
  /** Null where signing keys stay as they are. */
  readonly keyPolicy: KeyPolicy | null
}

export type MaintenanceOptions = Maintenance &
  Pick<KeyKeeping, 'steady' | 'onKeyWanted'> & {
    readonly timing: MaintenanceTiming
    readonly retentionStep: ReturnType<typeof makeRetentionStep>
    /** Called with each seal once it is durable. */
    readonly onSeal: (seal: Seal) => void
    /** Called when nothing is left to remove. */
    readonly onRetention: () => void
    readonly onFault: OnFault
  }

/** A transaction's work; what it returns is done once that is committed. */
type Work = (tx: Transaction) => Program<(() => void) | undefined>

/** The work that is due next, if any is, by what a snapshot of now says. */
type Due = (now: () => Milliseconds) => Program<Work | undefined>

type Named = {
  readonly name: BackgroundTask
  /** No token that is being issued can be concerned: it waits for none and none for it. */
  readonly isQuiet: boolean
}

type Task = Named & { readonly due: Due }

export type Step = Named & { readonly work: Work }

/** Seals at most once a pause, so that entries share a commit; a backlog without one. */
const sealing = (key: SealKey, { timing, onSeal }: MaintenanceOptions): Due => {
  let sealedAt = Number.NEGATIVE_INFINITY
  let isBehind = false
  function* work(tx: Transaction): Program<() => void> {
    const seal = yield* sealStep(tx, key.bytes)
    return () => {
      sealedAt = monotonicMs()
      isBehind = seal?.count === SEAL_ENTRIES_MAX
      if (seal !== undefined) onSeal(seal)
    }
  }
  return function* () {
    if (!isBehind && monotonicMs() - sealedAt < timing.sealPauseMs) return undefined
    isBehind = yield* isSealDue(key)
    return isBehind ? work : undefined
  }
}

const forgetting = ({ step, areOld }: Forgetting, { forgetMs }: MaintenanceTiming): Due => {
  let doneAt = Number.NEGATIVE_INFINITY
  function* work(tx: Transaction): Program<(() => void) | undefined> {
    if ((yield* step(tx)) === 'more') return undefined
    return () => {
      doneAt = monotonicMs()
    }
  }
  return function* (now) {
    const isDue = monotonicMs() - doneAt >= forgetMs && (yield* areOld(now()))
    return isDue ? work : undefined
  }
}

function* open(tx: Transaction): Program<undefined> {
  yield* openFeed(tx)
}

/** Opens the feed of a store that is older than the feed: once, except for what an earlier program keeps waiting. */
const opening = ({ feedOpeningMs }: MaintenanceTiming): Due => {
  let triedAt = Number.NEGATIVE_INFINITY
  return function* () {
    if (monotonicMs() - triedAt < feedOpeningMs) return undefined
    triedAt = monotonicMs()
    return (yield* isFeedClosed()) ? open : undefined
  }
}

const OPEN = `select 1 as found from cutoff where state = 'open' limit 1`

function* fill(tx: Transaction): Program<undefined> {
  yield* backfillStep(tx)
}

function* backfilling(): Program<Work | undefined> {
  return (yield* first(OPEN)) === undefined ? undefined : fill
}

function* cascade(tx: Transaction): Program<undefined> {
  yield* cascadeStep(tx)
}

function* cascading(): Program<Work | undefined> {
  return (yield* hasCascades()) ? cascade : undefined
}

const removing = ({ timing, retention, retentionStep, onRetention }: MaintenanceOptions): Due => {
  let doneAt = Number.NEGATIVE_INFINITY
  function* work(tx: Transaction): Program<(() => void) | undefined> {
    if ((yield* retentionStep(tx, retention)) === 'more') return undefined
    return () => {
      doneAt = monotonicMs()
      onRetention()
    }
  }
  return function* () {
    yield* []
    return monotonicMs() - doneAt < timing.retentionMs ? undefined : work
  }
}

/** Returns all tasks, the most urgent first. */
const tasksOf = (options: MaintenanceOptions): readonly Task[] => {
  const { timing, sealKey, keyPolicy } = options
  const sealed =
    sealKey === null ? [] : [{ name: 'audit seals', isQuiet: true, due: sealing(sealKey, options) } as const]
  const kept =
    keyPolicy === null
      ? []
      : [
          {
            name: 'life of signing keys',
            isQuiet: false,
            due: makeKeyScheduler({ ...options, policy: keyPolicy }),
          } as const,
        ]
  return [
    ...sealed,
    ...kept,
    { name: 'opening of the revocation feed', isQuiet: false, due: opening(timing) },
    ...FORGETS.map(one => ({ name: one.name, isQuiet: true, due: forgetting(one, timing) })),
    { name: 'backfill of revocations', isQuiet: true, due: backfilling },
    { name: 'descendants of ended tokens', isQuiet: true, due: cascading },
    // It removes lifetimes of which no token is left: none must be written meanwhile.
    { name: 'retention', isQuiet: false, due: removing(options) },
  ]
}

type MaintenanceSchedule = {
  /** The step that is due first, or undefined: then nothing is. */
  readonly due: (now: () => Milliseconds) => Program<Step | undefined>
  /**
   * Called with a fault of that statement program, of the step that it gave, or of what comes before them. `isOfStore`: the
   * store refused it or did not answer. Returns whether other tasks can go on meanwhile; never twice without a task in between.
   */
  readonly failed: (fault: unknown, isOfStore?: boolean) => boolean
  /** Lets tasks that failed try again. */
  readonly tick: () => void
}

/**
 * A store that cannot be had is no fault of a task: every caller and /readyz report it. But a table of one task may be locked,
 * damaged or forbidden while the rest of the store is well. So a task that the store failed is suspected: the next step writes
 * something else, and where the store takes that and fails the task again, the fault is the task's.
 */
const makeSuspicion = () => {
  let suspect: Task | undefined
  let isStoreWell = false
  return {
    /** The task of which the next step must show whether the fault is its own or the store's. */
    untested: (): Task | undefined => (isStoreWell ? undefined : suspect),
    suspect: (): Task | undefined => suspect,
    noteStoreIsWell: (): void => {
      isStoreWell = true
    },
    clear: (task: Task): void => {
      if (task === suspect) suspect = undefined
    },
    /** Whether the fault is the task's. */
    convicts: (task: Task): boolean => {
      const isItsOwn = task === suspect && isStoreWell
      suspect = isItsOwn ? undefined : task
      isStoreWell = false
      return isItsOwn
    },
  }
}

/** Writes next to nothing, in a row that every act writes. */
function* writeElsewhere(tx: Transaction): Program<undefined> {
  yield* stampTime(tx)
}

/** Calls `committed` where the work of the step was. */
const noting = (work: Work, committed: () => void): Work =>
  function* (tx) {
    const after = yield* work(tx)
    return () => {
      committed()
      after?.()
    }
  }

/**
 * A task that fails rests until the next tick, so that it keeps no other from its turn. One that the store fails again and
 * again, which may take it seconds each time, comes after all others.
 */
export const makeMaintenanceSchedule = (options: MaintenanceOptions): MaintenanceSchedule => {
  const tasks = tasksOf(options)
  const resting = new Set<Task>()
  const last = new Set<Task>()
  const suspicion = makeSuspicion()
  let asked: Task | undefined

  const ordered = (): Iterable<Task> => {
    const suspect = suspicion.suspect()
    const soonest = suspect === undefined || last.has(suspect) ? [] : [suspect]
    return new Set([...soonest, ...tasks.filter(task => !last.has(task)), ...last])
  }

  const succeeded = (task: Task): void => {
    suspicion.clear(task)
    last.delete(task)
  }

  const report = (task: Task, fault: unknown): boolean => {
    options.onFault(task.name, fault)
    resting.add(task)
    return true
  }

  return {
    due: function* (now) {
      asked = undefined
      if (suspicion.untested() !== undefined) {
        // It writes a row that acts write.
        return {
          name: 'turn of maintenance',
          isQuiet: true,
          work: noting(writeElsewhere, suspicion.noteStoreIsWell),
        }
      }
      for (const task of ordered()) {
        if (resting.has(task)) continue
        asked = task
        const work = yield* task.due(now)
        if (work !== undefined) return { ...task, work: noting(work, () => succeeded(task)) }
        succeeded(task)
      }
      asked = undefined
      return undefined
    },
    failed: (fault, isOfStore = false) => {
      const task = asked
      asked = undefined
      if (isOfStore) {
        if (task === undefined || !suspicion.convicts(task)) return false
        last.add(task)
        return report(task, fault)
      }
      if (task !== undefined) return report(task, fault)
      options.onFault('turn of maintenance', fault)
      return false
    },
    tick: () => resting.clear(),
  }
}
