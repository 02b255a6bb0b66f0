// Which faults are the database's, so that the answer is 503, and which are ours.
import pg from 'pg'
import { Unavailable } from '../../../domain/refusal.ts'
import { StoreProblem } from '../../store-problem.ts'

// Classes of https://www.postgresql.org/docs/18/errcodes-appendix.html: connections, authorization, a database that is
// not there, resources, intervention (shutdown, a statement that took too long), the system, its files, broken data; and
// of others a transaction that was idle too long, a lock that could not be had, a deadlock, one that has become a standby,
// a privilege that was taken away.
const DATABASE_AT_FAULT = /^(?:08|28|3D|53|57|58|F0|XX|25P03|25P04|25006|55P03|40P01|40001|42501)/

// A prepared statement that is not there, or is there already: of our own connection neither can be.
const ANOTHER_SERVER = /^(?:26000|42P05)/

const codeOf = (fault: unknown): string => (fault instanceof pg.DatabaseError ? (fault.code ?? '') : '')

/** The routine of the server that raised it: it distinguishes faults of one code in every language of messages (lc_messages). */
const routineOf = (fault: unknown): string => (fault instanceof pg.DatabaseError ? (fault.routine ?? '') : '')

/** No partition takes the row. */
export const isPartitionMissing = (fault: unknown): boolean =>
  codeOf(fault) === '23514' && routineOf(fault) === 'ExecFindPartition'

/** Does it again once the partitions are made that were missing: nothing of the first attempt was done. */
export const withPartitions = async <T>(makePartitions: () => Promise<void>, attempt: () => Promise<T>): Promise<T> => {
  try {
    return await attempt()
  } catch (fault) {
    if (!isPartitionMissing(fault)) throw fault
    await makePartitions()
    return attempt()
  }
}

/** A column that the statement returns has become another since it was prepared: it fails from then on, on this connection. */
const isPreparedBefore = (fault: unknown): boolean =>
  codeOf(fault) === '0A000' && routineOf(fault) === 'RevalidateCachedQuery'

/** The database rolled the transaction back, as on deadlock: nothing of it was done, and it may be repeated. */
export const isRolledBack = (fault: unknown): boolean =>
  fault instanceof Unavailable && /^(?:40P01|40001)$/.test(codeOf(fault.cause))

/** A statement whose wait for a lock timed out, or was a deadlock. */
export const hasGivenWay = (fault: unknown): boolean =>
  fault instanceof Unavailable && /^(?:57014|55P03|40P01)$/.test(codeOf(fault.cause))

/** Whether the server said that our statement is wrong, and not that it cannot serve it. */
const isOurs = (fault: unknown): boolean =>
  fault instanceof pg.DatabaseError && !DATABASE_AT_FAULT.test(fault.code ?? 'XX')

/** Whether the connection has ended, is about to, or is of no more use. */
export const isOver = (fault: unknown): boolean =>
  !(fault instanceof pg.DatabaseError) ||
  /^(?:FATAL|PANIC)$/.test(fault.severity ?? '') ||
  isPreparedBefore(fault) ||
  /^(?:08|57P)/.test(fault.code ?? '')

const POOLED =
  'The connection leads to another server than before, as a pooler in transaction mode does: set MINTMARK_DATABASE_POOLING=transaction.'

const CHANGED = 'The schema of the database was changed meanwhile: the connection is made anew.'

/** A fault of a statement, or of the connection while it was asked, as the caller of a port is to see it. */
export const faultOfStatement = (fault: unknown): Error => {
  if (!(fault instanceof Error)) return new Unavailable(`The database failed: ${String(fault)}`)
  if (ANOTHER_SERVER.test(codeOf(fault))) return new Unavailable(POOLED)
  if (isPreparedBefore(fault)) return new Unavailable(CHANGED)
  if (isOurs(fault) || fault instanceof StoreProblem || fault instanceof Unavailable) return fault
  return new Unavailable(`The database failed: ${fault.message}`, { cause: fault })
}

const ATTEMPTS_MAX = 3

/** Nothing of an attempt that was rolled back was done, so the next is as good as the first. */
export const askAgain = async <T>(attempt: () => Promise<T>): Promise<T> => {
  for (let n = 1; ; n += 1) {
    try {
      return await attempt()
    } catch (fault) {
      if (n === ATTEMPTS_MAX || !isRolledBack(fault)) throw fault
    }
  }
}
