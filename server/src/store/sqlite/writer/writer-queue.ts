// What has arrived at the writing thread and is not written yet, in two queues: acts never wait behind a flood of new tokens.
import type { MessagePort } from 'node:worker_threads'
import { GROUP_MAX } from '../../../domain/one-by-one.ts'
import type { Timing } from '../../../ports/timing.ts'
import { monotonicMs } from '../../clocks.ts'
import { type JobInput, type JobName, JOBS } from './jobs.ts'
import type { JobMessage, Failure, ReportedFault, Reply } from './writer-messages.ts'
import { Unavailable } from '../../../domain/refusal.ts'
import { programOf } from '../../subjects.ts'
import { isStoreFault } from '../connection/connection.ts'
import { runProgram } from '../connection/database.ts'
import {
  begin,
  forgetMemory,
  openTransaction,
  type SqliteTransaction,
  type WritingConnection,
} from '../connection/transaction.ts'

// Runs all jobs that have arrived in one transaction: one wait for the disk, however many there are.

/** Records the seconds that a sync took. */
type ObserveSync = (seconds: number) => void

const messageOf = (fault: unknown): string =>
  fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault)

export const reportedFault = (fault: unknown): ReportedFault => {
  const message = messageOf(fault)
  return { message, stack: fault instanceof Error ? (fault.stack ?? message) : message }
}

const failureOf = (fault: unknown): Failure => {
  // The message of an Unavailable is complete, and /readyz shows it.
  if (fault instanceof Unavailable) return { kind: 'unavailable', message: fault.message, limit: fault.limit }
  if (!(fault instanceof Error && isStoreFault(fault))) return { kind: 'fault', message: messageOf(fault) }
  return { kind: 'unavailable', message: `The store cannot be written: ${fault.message}.` }
}

const runOne = (connection: WritingConnection, tx: SqliteTransaction, job: JobMessage): Reply => {
  const { sql } = connection
  const ended = tx.endings.length
  if (monotonicMs() > job.deadline) throw new Unavailable('The store was too slow to begin with this in time.')
  sql('savepoint job').run()
  try {
    const value = runProgram(sql, programOf(JOBS, job.job, tx, job.input))
    sql('release job').run()
    return { n: job.n, value }
  } catch (fault) {
    if (connection.db.inTransaction()) sql('rollback to job').run()
    forgetMemory(connection)
    tx.endings.length = ended
    throw fault
  }
}

const runEach = (connection: WritingConnection, tx: SqliteTransaction, jobs: readonly JobMessage[]): Reply[] =>
  jobs.map(job => {
    try {
      return runOne(connection, tx, job)
    } catch (fault) {
      // A full or failing disk fails the whole group; what one job did wrong is its own.
      if (!(fault instanceof Unavailable) && isStoreFault(fault)) throw fault
      return { n: job.n, failure: failureOf(fault) }
    }
  })

/** Commits, and measures how long that alone takes: SQLite syncs the disk in it. */
const commit = ({ sql }: WritingConnection, observeSync: ObserveSync): void => {
  const began = monotonicMs()
  sql('commit').run()
  observeSync((monotonicMs() - began) / 1000)
}

/**
 * A reply for each job: durable, or failed. Where the commit itself fails no caller gets a success; where it
 * is not the disk's fault, each job is done again by itself.
 */
export const groupCommit = (
  connection: WritingConnection,
  jobs: readonly JobMessage[],
  observeSync: ObserveSync = () => undefined,
): Reply[] => {
  try {
    begin(connection, Math.max(...jobs.map(({ deadline }) => deadline)))
    const tx = openTransaction(connection)
    const replies = runEach(connection, tx, jobs)
    commit(connection, observeSync)
    connection.onCommitted(tx)
    return replies
  } catch (fault) {
    if (connection.db.inTransaction()) connection.db.exec('rollback')
    forgetMemory(connection)
    if (jobs.length > 1 && !isStoreFault(fault)) return jobs.flatMap(job => groupCommit(connection, [job], observeSync))
    return jobs.map(({ n }) => ({ n, failure: failureOf(fault) }))
  }
}

type Arrived = { readonly message: JobMessage; readonly from: MessagePort }

/** Removes the first jobs that are chosen, one group at most. */
const takeFrom = (queue: Arrived[], isChosen: (job: JobName) => boolean): readonly Arrived[] => {
  const taken = new Set(queue.filter(({ message }) => isChosen(message.job)).slice(0, GROUP_MAX))
  queue.splice(0, queue.length, ...queue.filter(job => !taken.has(job)))
  return [...taken]
}

export const makeWriterQueue = ({ actsPauseMs }: Pick<Timing, 'actsPauseMs'>, monotonic = monotonicMs) => {
  const acts: Arrived[] = []
  const tokens: Arrived[] = []
  const pauses: Arrived[] = []
  let pausedUntil = Number.NEGATIVE_INFINITY
  /** Whose pause is on, or was the last one. */
  let paused: JobInput<JobName> = null

  const isPaused = (): boolean => monotonic() < pausedUntil

  /** Whose callers have left: they are refused, as any job that is late, and keep nothing back. */
  const takeLatePauses = (): readonly Arrived[] => {
    const begun = pauses.findIndex(({ message }) => message.deadline >= monotonic())
    return pauses.splice(0, begun === -1 ? pauses.length : begun)
  }

  const takeActs = (): readonly Arrived[] => {
    if (isPaused()) return takeFrom(acts, job => JOBS[job].isQuiet)
    const taken = acts.splice(0, GROUP_MAX)
    // A pause begins only after the acts that wait, so that two callers who pause acts in turn cannot stop them altogether.
    const late = takeLatePauses()
    const pause = pauses.shift()
    if (pause === undefined) return [...taken, ...late]
    pausedUntil = monotonic() + actsPauseMs
    paused = pause.message.input
    return [...taken, ...late, pause]
  }

  const queueOf = (job: JobName): Arrived[] => {
    if (job === 'insertTokens') return tokens
    return job === 'pauseActs' ? pauses : acts
  }

  const resume = (): void => {
    pausedUntil = Number.NEGATIVE_INFINITY
  }

  return {
    put: (arrived: Arrived): void => {
      const { job, input } = arrived.message
      // A caller whose own pause is over must not end that of another.
      if (job === 'resumeActs' && input === paused) resume()
      queueOf(job).push(arrived)
    },
    /**
     * The jobs of the next group, with room for both queues. New tokens are written first: what an act of their group ends
     * or refuses would have to be decided again.
     */
    take: (): readonly Arrived[] => [...tokens.splice(0, GROUP_MAX), ...takeActs()],
    resume,
    /** How long acts are still kept back. */
    pauseLeftMs: (): number => Math.max(0, pausedUntil - monotonic()),
    /** How many have arrived and were not taken. */
    size: (): number => acts.length + tokens.length + pauses.length,
    /** Whether there is nothing to take now. */
    isEmpty: (): boolean =>
      tokens.length === 0 &&
      (isPaused() ? !acts.some(({ message }) => JOBS[message.job].isQuiet) : acts.length === 0 && pauses.length === 0),
  }
}

/**
 * Ends pauses whose callers do not: returns what to call once a pause has begun, and takes what begins the next group.
 * A timer counts from the beginning of its turn of the event loop, which may be well before the pause: it is set again
 * until the pause is over, or acts would wait for the next message that happens to arrive.
 */
export const makePauseTimer = (
  queue: Pick<ReturnType<typeof makeWriterQueue>, 'pauseLeftMs'>,
  turn: () => void,
  setTimer: (fire: () => void, ms: number) => unknown = setTimeout,
): (() => void) => {
  let isSet = false
  const set = (): void => {
    const left = Math.ceil(queue.pauseLeftMs())
    if (isSet || left === 0) return
    isSet = true
    setTimer(() => {
      isSet = false
      turn()
      set()
    }, left)
  }
  return set
}
