// A few connections that are shared out, each to one piece of work at a time.
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import { Unavailable } from '../../../domain/refusal.ts'
import type { LabelsOf, Metrics } from '../../../ports/metrics.ts'
import { makePermitQueue, type Release } from '../../../ports/permit-queue.ts'
import type { Connection } from './connection.ts'

export type Pool = {
  /** Runs `work` on a connection of its own; it is closed where it failed, and kept for the next otherwise. */
  readonly use: <T>(work: (connection: Connection) => Promise<T>, until: MonotonicMilliseconds) => Promise<T>
  readonly close: () => void
}

type PoolOptions = {
  readonly open: () => Promise<Connection>
  readonly connectionsMax: number
  readonly monotonic: () => MonotonicMilliseconds
  /** What the pool is called in metrics. */
  readonly name: LabelsOf<'mintmark_postgres_connections_max'>['pool']
  readonly metrics: Metrics
}

const LATE = 'No connection to the database was free in time.'
const CLOSED = 'The store is closed.'

/** Returns a usable connection, and drops those that are not. */
const takeUsable = (idle: Connection[]): Connection | undefined => {
  for (let one = idle.pop(); one !== undefined; one = idle.pop()) {
    one.keepsProcess(true)
    if (one.isUsable()) return one
  }
  return undefined
}

export const makePool = ({ open, connectionsMax, monotonic, name: pool, metrics }: PoolOptions): Pool => {
  const idle: Connection[] = []
  let isClosed = false

  metrics.set('mintmark_postgres_connections_max', { pool }, connectionsMax)
  const publish = (): void => {
    metrics.set('mintmark_postgres_connections', { pool, state: 'busy' }, permits.underWay())
    metrics.set('mintmark_postgres_connections', { pool, state: 'idle' }, idle.length)
    metrics.set('mintmark_postgres_waiting', { pool }, permits.waiting())
  }
  // No bound on what waits: batches and transactions wait, and each has a deadline.
  const permits = makePermitQueue(
    { atOnceMax: connectionsMax, waitingMax: Number.POSITIVE_INFINITY },
    {
      onWaiting: publish,
      onWaited: ms => metrics.observe('mintmark_postgres_connection_wait_seconds', { pool }, ms / 1000),
    },
  )
  publish()

  const acquire = (until: MonotonicMilliseconds): Promise<Release> =>
    new Promise((begin, reject) => {
      permits.enter('', {
        begin,
        refuse: why => reject(new Unavailable(why === 'late' ? LATE : CLOSED)),
        waitMs: Math.max(0, until - monotonic()),
      })
    })

  const keep = (connection: Connection): void => {
    if (isClosed) connection.destroy()
    if (!connection.isUsable()) return
    connection.keepsProcess(false)
    idle.push(connection)
  }

  return {
    use: async (work, until) => {
      const release = await acquire(until)
      try {
        const connection = takeUsable(idle) ?? (await open())
        publish()
        try {
          return await work(connection)
        } finally {
          keep(connection)
        }
      } finally {
        release()
        publish()
      }
    },
    close: () => {
      isClosed = true
      for (const connection of idle.splice(0)) connection.destroy()
      permits.close()
    },
  }
}
