// Runs jobs in transactions, all that have arrived in one: one wait for the disk and the standby, however many there are.
import { GROUP_MAX, oneByOne } from '../../../domain/one-by-one.ts'
import type { EndingReason } from '../../../../../api/values/reason.ts'
import { makeDeadline } from '../../../ports/deadline.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import { countEndings } from '../../transaction.ts'
import type { Connection } from '../connection/connection.ts'
import { type WithExclusiveLock, makeExclusiveLock } from './exclusive-lock.ts'
import { askAgain, withPartitions } from '../connection/faults.ts'
import type { OpenTransaction } from './open-transaction.ts'
import { type Outcome, type Runnable, runJobs } from './run-jobs.ts'
import type { Session } from '../connection/session.ts'
import { STORE_LATE } from '../../store-options.ts'

/**
 * `tokens`: writes tokens, and waits for no other of its kind; `quiet`: an act that refuses and ends nothing but what it
 * names; `act`: any other.
 */
export type Queue = 'tokens' | 'quiet' | 'act'

type Job<T> = Runnable<T> & { readonly queue: Queue }

type Waiting = Job<unknown> & {
  readonly resolve: (value: unknown) => void
  readonly reject: (fault: unknown) => void
}

export type GroupWriter = {
  readonly run: <T>(job: Job<T>) => Promise<T>
  /** Runs `work` while nothing else can write. */
  readonly exclusively: WithExclusiveLock
}

// Of tokens and of acts so many each: an act never waits behind a flood of token requests.
const takeGroup = (waiting: Waiting[]): readonly Waiting[] => {
  const tokens = waiting.filter(({ queue }) => queue === 'tokens').slice(0, GROUP_MAX)
  const acts = waiting.filter(({ queue }) => queue !== 'tokens').slice(0, GROUP_MAX)
  const taken = new Set([...tokens, ...acts])
  waiting.splice(0, waiting.length, ...waiting.filter(job => !taken.has(job)))
  return [...taken]
}

/** Settles each job of a group by its outcome. */
const settle = (jobs: readonly Waiting[], outcomes: readonly (Outcome | Error)[]): void =>
  jobs.forEach(({ resolve, reject }, n) => {
    const outcome = outcomes[n] ?? new Error('A job of a group has no outcome.')
    if (outcome instanceof Error) reject(outcome)
    else if ('value' in outcome) resolve(outcome.value)
    else reject(outcome.fault)
  })

type WriterOptions = {
  /** Called when acts were committed. */
  readonly onActs: () => void
  readonly metrics: Metrics
}

export const makeWriter = (
  session: Session,
  open: OpenTransaction,
  { onActs, metrics }: WriterOptions,
): GroupWriter => {
  const { pool, transactions } = session
  const inTime = makeDeadline(session, session.timing.storeMs, STORE_LATE)
  const waiting: Waiting[] = []
  let isRunning = false
  const observeCommit = metrics.histogram('mintmark_commit_seconds', {})
  const observeJobs = metrics.histogram('mintmark_commit_jobs', {})

  const commitGroup = async (jobs: readonly Waiting[]): Promise<readonly Outcome[]> => {
    const excludesTokens = jobs.some(({ queue }) => queue === 'act')
    const until = Math.max(...jobs.map(job => job.until))
    let endings: readonly EndingReason[] = []
    const commit = (connection: Connection): Promise<readonly Outcome[]> =>
      transactions.write(connection, async () => {
        const opened = await open(connection, excludesTokens)
        endings = opened.tx.endings
        return runJobs({ session, connection, opened }, jobs)
      })
    const began = session.monotonic()
    const outcomes = await askAgain(() => pool.use(commit, until))
    observeCommit((session.monotonic() - began) / 1000)
    observeJobs(jobs.length)
    countEndings(metrics, endings)
    return outcomes
  }

  const runGroup = async (jobs: readonly Waiting[]): Promise<void> => {
    // A commit that the server refuses is rolled back: each job can be repeated by itself.
    const outcomes = await oneByOne(jobs, some => withPartitions(session.makePartitions, () => commitGroup(some)))
    settle(jobs, outcomes)
    if (jobs.some(({ queue }, n) => queue === 'act' && 'value' in (outcomes[n] ?? {}))) onActs()
  }

  const runAll = async (): Promise<void> => {
    if (isRunning) return
    isRunning = true
    try {
      while (waiting.length > 0) await runGroup(takeGroup(waiting))
    } finally {
      isRunning = false
    }
  }

  const enqueue = <T>(job: Job<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ ...job, resolve: value => resolve(value as T), reject })
      // What was asked in the same turn comes along.
      queueMicrotask(() => void runAll())
    })

  return { run: job => inTime(enqueue(job), job.until), exclusively: makeExclusiveLock(session, open, inTime) }
}
