// A few connections that are shared out, each to one piece of work at a time.
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import { Unavailable } from '../../../domain/refusal.ts'
import type { LabelsOf, Metrics } from '../../../ports/metrics.ts'
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

type Gauged = Pick<PoolOptions, 'metrics' | 'connectionsMax'> & { readonly pool: PoolOptions['name'] }

const LATE = 'No connection to the database was free in time.'

type Waiting = { readonly wake: () => void; readonly timer: NodeJS.Timeout }

/** Makes the queue of those that wait for a connection, first come first. */
const makeQueue = (monotonic: () => MonotonicMilliseconds, onWaited: (seconds: number) => void) => {
  const waiting: Waiting[] = []
  return {
    wakeNext: (): void => {
      const next = waiting.shift()
      if (next === undefined) return
      clearTimeout(next.timer)
      next.wake()
    },
    wait: (until: MonotonicMilliseconds): Promise<void> =>
      new Promise((resolve, reject) => {
        const began = monotonic()
        const waited = (): void => onWaited((monotonic() - began) / 1000)
        const refuse = (): void => {
          waiting.splice(waiting.indexOf(one), 1)
          waited()
          reject(new Unavailable(LATE))
        }
        const wake = (): void => {
          waited()
          resolve()
        }
        const one: Waiting = { wake, timer: setTimeout(refuse, Math.max(0, until - monotonic())) }
        waiting.push(one)
      }),
    size: () => waiting.length,
  }
}

type Counts = { readonly busy: number; readonly idle: number; readonly waiting: number }

const makeGauges = ({ pool, metrics, connectionsMax }: Gauged): ((counts: Counts) => void) => {
  metrics.set('mintmark_postgres_connections_max', { pool }, connectionsMax)
  return ({ busy, idle, waiting }) => {
    metrics.set('mintmark_postgres_connections', { pool, state: 'busy' }, busy)
    metrics.set('mintmark_postgres_connections', { pool, state: 'idle' }, idle)
    metrics.set('mintmark_postgres_waiting', { pool }, waiting)
  }
}

/** Returns a usable connection, and drops those that are not. */
const takeUsable = (idle: Connection[], dropped: () => void): Connection | undefined => {
  for (let one = idle.pop(); one !== undefined; one = idle.pop()) {
    one.keepsProcess(true)
    if (one.isUsable()) return one
    dropped()
  }
  return undefined
}

export const makePool = ({ open, connectionsMax, monotonic, name: pool, metrics }: PoolOptions): Pool => {
  const idle: Connection[] = []
  let size = 0
  let isClosed = false

  const gauges = makeGauges({ pool, metrics, connectionsMax })
  const publish = (): void => gauges({ busy: size - idle.length, idle: idle.length, waiting: waiting() })
  const onWaited = (seconds: number): void => {
    metrics.observe('mintmark_postgres_connection_wait_seconds', { pool }, seconds)
    publish()
  }
  const { wakeNext, wait, size: waiting } = makeQueue(monotonic, onWaited)
  publish()

  const drop = (): void => {
    size -= 1
    publish()
    wakeNext()
  }

  const openOne = async (): Promise<Connection> => {
    size += 1
    try {
      return await open()
    } catch (fault) {
      drop()
      throw fault
    }
  }

  const acquire = async (until: MonotonicMilliseconds): Promise<Connection> => {
    for (;;) {
      if (isClosed) throw new Unavailable('The store is closed.')
      const free = takeUsable(idle, () => {
        size -= 1
      })
      if (free !== undefined) return free
      if (size < connectionsMax) return openOne()
      const woken = wait(until)
      publish()
      await woken
    }
  }

  const release = (connection: Connection): void => {
    if (isClosed) connection.destroy()
    if (!connection.isUsable()) return drop()
    connection.keepsProcess(false)
    idle.push(connection)
    wakeNext()
  }

  return {
    use: async (work, until) => {
      const connection = await acquire(until)
      publish()
      try {
        return await work(connection)
      } finally {
        release(connection)
        publish()
      }
    },
    close: () => {
      isClosed = true
      for (const connection of idle.splice(0)) connection.destroy()
      while (waiting() > 0) wakeNext()
    },
  }
}
