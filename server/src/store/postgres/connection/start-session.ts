// Starts what everything that talks to one database shares: its connections, and the clock that follows the database's.
import { Unavailable } from '../../../domain/refusal.ts'
import type { Milliseconds } from '../../../../../api/values/time.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import { awaitLease, LEASE_MS, type Wait } from '../../lease.ts'
import { monotonicMs } from '../../clocks.ts'
import type { StoreMaker } from '../../store-options.ts'
import { StoreProblem } from '../../store-problem.ts'
import type { DatabaseAccess, DatabaseAddress } from './address.ts'
import { checkSchema } from '../schema/check-schema.ts'
import { refuseNewer, schemaVersionOf } from '../schema/migrations.ts'
import { makeDatabaseClock } from './clock.ts'
import { askFirst, type Connection } from './connection.ts'
import { runner } from './run-program.ts'
import { makeFailOvers } from './fail-overs.ts'
import { makePartitions } from '../partitions/partitions.ts'
import { makePool } from './pool.ts'
import { connectToPrimary } from './primary.ts'
import { refusePartial } from './search-path.ts'
import type { Session } from './session.ts'
import { fenceOf, makeTransactions } from '../writer/transactions.ts'

const HOT_CONNECTIONS_MAX = 8
const SIDE_CONNECTIONS_MAX = 3

const HEAD = `select clock_lease as "clockLease", made_by as "madeBy", mintmark_now() as now,
  current_setting('synchronous_standby_names') as "standbyNames" from service`

type Head = {
  readonly clockLease: Milliseconds
  readonly madeBy: StoreMaker
  readonly now: Milliseconds
  readonly standbyNames: string
}

const readHead = async (connection: Connection, address: DatabaseAddress): Promise<Head> => {
  await checkSchema(connection, address)
  const head = await askFirst<Head>(connection, HEAD)
  if (head === undefined) {
    await refusePartial(connection, address)
    throw new StoreProblem(`The database ${address.database} has lost its service row.`)
  }
  if (address.fencedReads === 'on' && head.standbyNames === '') {
    throw new StoreProblem(
      'MINTMARK_FENCED_READS is on, but the database has no synchronous standby: set synchronous_standby_names, or MINTMARK_FENCED_READS=auto.',
    )
  }
  return head
}

/** What excludes a program looks for its sessions: one without any at that moment has to look itself, as soon as it has one again. */
const refuseExcluded = async (connection: Connection, address: DatabaseAddress): Promise<void> => {
  try {
    refuseNewer(await schemaVersionOf(connection), address)
  } catch (fault) {
    connection.destroy()
    throw fault
  }
}

/** The time at which the clock of this process starts: not before any in an earlier answer. */
const startTime = async ({ clockLease, now }: Head, wait: Wait | null): Promise<Milliseconds> => {
  const waited = await awaitLease(clockLease - now, wait, 'the database')
  return Math.max(clockLease, now + waited)
}

type SessionOptions = {
  readonly address: DatabaseAddress
  readonly timing: DatabaseAccess['timing'] & Session['timing']
  /** Counts ms for the clock. */
  readonly steady: () => Milliseconds
  /** Null in a process that acts once and waits for no lease. */
  readonly wait: Wait | null
  readonly metrics: Metrics
}

export const startSession = async (options: SessionOptions) => {
  const { address, timing, steady, wait, metrics } = options
  const inTime = () => monotonicMs() + timing.storeMs
  const failOvers = makeFailOvers()
  let isStarted = false
  const open = async (): Promise<Connection> => {
    try {
      const connection = await connectToPrimary(options, { onTimeline: failOvers.connected })
      if (isStarted) await refuseExcluded(connection, address)
      return connection
    } catch (fault) {
      // At the start it is for a person to mend. Later it is the database that changed, and is to be waited for.
      throw isStarted && fault instanceof StoreProblem ? new Unavailable(fault.message) : fault
    }
  }
  const shared = { open, monotonic: monotonicMs, metrics }
  const pool = makePool({ ...shared, connectionsMax: HOT_CONNECTIONS_MAX, name: 'hot' })
  const sidePool = makePool({ ...shared, connectionsMax: SIDE_CONNECTIONS_MAX, name: 'side' })
  const close = (): void => {
    pool.close()
    sidePool.close()
  }
  try {
    const head = await pool.use(connection => readHead(connection, address), inTime())
    const clock = makeDatabaseClock(await startTime(head, wait), steady)
    const session: Session = {
      timing,
      pool,
      sidePool,
      runner,
      clock,
      leaseMs: wait === null ? 0 : LEASE_MS,
      transactions: makeTransactions(options, failOvers.connected, metrics),
      monotonic: monotonicMs,
      makePartitions: () => sidePool.use(connection => makePartitions(connection, clock.now()), inTime()),
      fence: fenceOf(address),
      onFailOver: failOvers.onFailOver,
    }
    isStarted = true
    return { session, madeBy: head.madeBy, close }
  } catch (fault) {
    close()
    throw fault
  }
}
