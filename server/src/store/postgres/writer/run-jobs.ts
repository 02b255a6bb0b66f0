// Runs the jobs of a group inside its transaction: a job that fails is rolled back alone.
import { Unavailable } from '../../../domain/refusal.ts'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { Program } from '../../statement-program.ts'
import type { Transaction } from '../../transaction.ts'
import type { Connection } from '../connection/connection.ts'
import { isPartitionMissing, isRolledBack } from '../connection/faults.ts'
import type { Opened } from './open-transaction.ts'
import type { Session } from '../connection/session.ts'

/** One statement program for all jobs of a kind in a group. It returns what each returns by itself, in order. */
export type Together<In, Out> = (tx: Transaction, inputs: readonly In[]) => Program<readonly Out[]>

export type Runnable<T> = {
  readonly perform: (tx: Transaction) => Program<T>
  /** How the job can run together with others that have the same `all`. */
  readonly together?: { readonly all: Together<unknown, T>; readonly input: unknown }
  readonly until: MonotonicMilliseconds
}

export type Outcome = { readonly value: unknown } | { readonly fault: unknown }

const LATE = 'The store was too slow to begin with this in time.'

type Place = { readonly session: Session; readonly connection: Connection; readonly opened: Opened }

const runInSavepoint = async (
  { session, connection, opened }: Place,
  perform: (tx: Transaction) => Program<unknown>,
): Promise<Outcome> => {
  const ended = opened.tx.endings.length
  const saved = connection.ask({ text: 'savepoint job' })
  saved.catch(() => undefined)
  try {
    const value = await session.runner.runProgram(connection, perform(opened.tx))
    await saved
    // Not awaited: if it fails, the commit fails too, and nothing of the group counts as done.
    connection.ask({ text: 'release job' }).catch(() => undefined)
    return { value }
  } catch (fault) {
    // The caller repeats the whole group.
    if (isPartitionMissing(fault) || isRolledBack(fault)) throw fault
    // If this fails too, the whole group fails.
    await connection.ask({ text: 'rollback to job' })
    opened.forget()
    opened.tx.endings.length = ended
    return { fault }
  }
}

type Jobs = readonly Runnable<unknown>[]

/** Runs the jobs one by one, each if there is time for it. */
const runEach = async (place: Place, jobs: Jobs, outcomes: Map<Runnable<unknown>, Outcome>): Promise<void> => {
  for (const job of jobs) {
    const isLate = place.session.monotonic() > job.until
    outcomes.set(job, isLate ? { fault: new Unavailable(LATE) } : await runInSavepoint(place, job.perform))
  }
}

/** Runs the jobs together or, if that fails, one by one: the fault may be that of one job. */
const runTogether = async (
  place: Place,
  all: Together<unknown, unknown>,
  jobs: Jobs,
  outcomes: Map<Runnable<unknown>, Outcome>,
): Promise<void> => {
  const now = place.session.monotonic()
  const inTime = jobs.filter(({ until }) => until >= now)
  const inputs = inTime.map(({ together }) => together?.input)
  const outcome: Outcome = inTime.length > 1 ? await runInSavepoint(place, tx => all(tx, inputs)) : { fault: null }
  if ('fault' in outcome) return runEach(place, jobs, outcomes)
  const values = outcome.value as readonly unknown[] // as the statement program returns them
  inTime.forEach((job, n) => outcomes.set(job, { value: values[n] }))
  const late = jobs.filter(job => !outcomes.has(job))
  return runEach(place, late, outcomes)
}

/** One outcome for each, in order. Jobs of a group are concurrent: those of a kind may go before others. */
export const runJobs = async (place: Place, jobs: Jobs): Promise<readonly Outcome[]> => {
  const outcomes = new Map<Runnable<unknown>, Outcome>()
  for (const job of jobs) {
    if (outcomes.has(job)) continue
    const all = job.together?.all
    if (all === undefined) await runEach(place, [job], outcomes)
    else {
      const alike = jobs.filter(({ together }) => together?.all === all)
      await runTogether(place, all, alike, outcomes)
    }
  }
  return jobs.map(job => outcomes.get(job) ?? { fault: new Error('A job of a group has no outcome.') })
}
