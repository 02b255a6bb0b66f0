// In this folder: the one writing thread of SQLite, which commits queued jobs in groups; and its client in each serving thread.
// Runs all jobs that have arrived in one transaction: one wait for the disk, however many there are.
import { Unavailable } from '../../../domain/refusal.ts'
import { programOf } from '../../subjects.ts'
import { monotonicMs } from '../../clocks.ts'
import { isStoreFault } from '../connection/connection.ts'
import { runProgram } from '../connection/statements.ts'
import { JOBS } from './jobs.ts'
import {
  begin,
  forgetMemory,
  openTransaction,
  type SqliteTransaction,
  type WritingConnection,
} from '../connection/transaction.ts'
import type { Failure, JobMessage, ReportedFault, Reply } from './writer-messages.ts'

/** Records the seconds that a sync took. */
type ObserveSync = (seconds: number) => void

const messageOf = (fault: unknown): string =>
  fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault)

export const reportedFault = (fault: unknown): ReportedFault => {
  const message = messageOf(fault)
  return { message, stack: fault instanceof Error ? (fault.stack ?? message) : message }
}

export const failureOf = (fault: unknown): Failure => {
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
