// Gathers what was asked meanwhile into one batch: nobody waits for a timer, and nobody joins a batch that was sent.
import { oneByOne } from '../../../domain/one-by-one.ts'
import { Unavailable } from '../../../domain/refusal.ts'
import type { MonotonicMilliseconds, Milliseconds } from '../../../../../api/values/time.ts'
import { monotonicMs } from '../../clocks.ts'
import type { Connection } from '../connection/connection.ts'
import type { Pool } from '../connection/pool.ts'

// How many batches may be under way at once: as many as keep the database at work while others are on their way.

/** The least batches in flight: the database works at one while the rows of the other become responses. */
const IN_FLIGHT_MIN = 2
/** The share that the newest has in what is usual. */
const NEWEST = 1 / 8
/** The shortest is one of the last so many, or of as many before them. */
const WINDOW = 128

/**
 * Computes how many batches to have in flight. The shortest time of a batch is the wait that all have: network, disk, standby.
 * The time beyond it is work, which grows with the size of a batch. As many batches are sent as their work fits into the time of one:
 * more would queue at the database, and each would be smaller and so dearer.
 */
export const makeInFlightCount = (most: number) => {
  let usual: Milliseconds | undefined
  let [shortestBefore, shortest] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  let count = 0
  return {
    allowed: (): number => {
      if (usual === undefined) return Math.min(most, IN_FLIGHT_MIN)
      const work = usual - Math.min(shortest, shortestBefore)
      return work <= 0 ? most : Math.min(most, Math.max(IN_FLIGHT_MIN, Math.round(usual / work)))
    },
    /** Called with how long each took, from its start to its answer. */
    measure: (took: Milliseconds): void => {
      usual = usual === undefined ? took : usual + NEWEST * (took - usual)
      shortest = Math.min(shortest, took)
      count += 1
      if (count % WINDOW > 0) return
      shortestBefore = shortest
      shortest = Number.POSITIVE_INFINITY
    },
  }
}

type BatchOptions<In, Out> = {
  readonly pool: Pool
  /** Batches under way at once, at most. */
  readonly inFlightMax: number
  readonly sizeMax: number
  /**
   * One answer for each, in order. What is asked while it runs is not among them. Throws Unavailable where it may have
   * changed something, and anything else only where it did not: each of the batch is then sent by itself.
   */
  readonly send: (connection: Connection, batch: readonly In[]) => Promise<readonly Out[]>
  /** A test has a clock of its own. */
  readonly monotonic?: () => MonotonicMilliseconds
}

type Waiting<In, Out> = {
  readonly input: In
  readonly until: MonotonicMilliseconds
  readonly resolve: (answer: Out) => void
  readonly reject: (fault: unknown) => void
}

export type Ask<In, Out> = (input: In, until: MonotonicMilliseconds) => Promise<Out>

/** The callers that share one answer. */
const SHARED_MAX = 16_384

/** Asks one question for all who ask it meanwhile; one is under way at a time. */
export const makeShared = <Out>(
  pool: Pool,
  ask: (connection: Connection) => Promise<Out>,
): ((until: MonotonicMilliseconds) => Promise<Out>) => {
  const batches = makeBatches<null, Out>({
    pool,
    inFlightMax: 1,
    sizeMax: SHARED_MAX,
    send: async (connection, batch) => {
      const answer = await ask(connection)
      return batch.map(() => answer)
    },
  })
  return until => batches(null, until)
}

const LATE = 'The store was too slow to begin with this in time.'

export const makeBatches = <In, Out>(options: BatchOptions<In, Out>): Ask<In, Out> => {
  const { pool, inFlightMax, sizeMax, send, monotonic = monotonicMs } = options
  const waiting: Waiting<In, Out>[] = []
  const { allowed, measure } = makeInFlightCount(inFlightMax)
  let inFlight = 0

  const sendTaken = async (connection: Connection, taken: readonly Waiting<In, Out>[]): Promise<void> => {
    // Another batch took all while this one waited for a connection.
    if (taken.length === 0) return
    const began = monotonic()
    const answers = await oneByOne<Waiting<In, Out>, Out>(taken, async some => {
      const [{ until } = { until: began }] = some
      if (some.length < taken.length && monotonic() > until) return [new Unavailable(LATE)]
      const inputs = some.map(({ input }) => input)
      const answered = await send(connection, inputs)
      if (some === taken) measure(monotonic() - began)
      return answered
    })
    taken.forEach(({ resolve, reject }, n) => {
      const answer = answers[n] as Out | Error // one for each
      if (answer instanceof Error) reject(answer)
      else resolve(answer)
    })
  }

  const runBatch = async (): Promise<void> => {
    try {
      const until = waiting.reduce((latest, one) => Math.max(latest, one.until), 0)
      // Taken once there is a connection, and sent in the same turn: its snapshot is later than every question in it.
      await pool.use(connection => sendTaken(connection, waiting.splice(0, sizeMax)), until)
    } catch (fault) {
      for (const { reject } of waiting.splice(0, sizeMax)) reject(fault)
    }
  }

  const go = async (): Promise<void> => {
    if (inFlight >= allowed()) return
    inFlight += 1
    try {
      // Where fewer are allowed by now there are others, which go on.
      while (waiting.length > 0 && inFlight <= allowed()) await runBatch()
    } finally {
      inFlight -= 1
    }
  }

  return (input, until) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, until, resolve, reject })
      queueMicrotask(() => void go())
    })
}
