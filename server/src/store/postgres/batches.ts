// Gathers what was asked meanwhile into one batch: nobody waits for a timer, and nobody joins a batch that has left.
import type { MonotonicMilliseconds } from '../../domain/time.ts'
import type { Connection } from './connection.ts'
import type { Pool } from './pool.ts'

type BatchOptions<In, Out> = {
  readonly pool: Pool
  /** Batches under way at once. */
  readonly flightsMax: number
  readonly sizeMax: number
  /** One answer for each, in order. What is asked while it runs is not among them. */
  readonly send: (connection: Connection, batch: readonly In[]) => Promise<readonly Out[]>
}

type Waiting<In, Out> = {
  readonly input: In
  readonly until: MonotonicMilliseconds
  readonly resolve: (answer: Out) => void
  readonly reject: (fault: unknown) => void
}

export type Ask<In, Out> = (input: In, until: MonotonicMilliseconds) => Promise<Out>

export const makeBatches = <In, Out>({ pool, flightsMax, sizeMax, send }: BatchOptions<In, Out>): Ask<In, Out> => {
  const waiting: Waiting<In, Out>[] = []
  let flights = 0

  const sendTaken = async (connection: Connection, taken: readonly Waiting<In, Out>[]): Promise<void> => {
    try {
      const answers = await send(
        connection,
        taken.map(({ input }) => input),
      )
      taken.forEach(({ resolve }, n) => resolve(answers[n] as Out)) // one for each
    } catch (fault) {
      for (const { reject } of taken) reject(fault)
    }
  }

  const fly = async (): Promise<void> => {
    const until = Math.max(...waiting.map(one => one.until))
    try {
      // Taken once there is a connection, and sent in the same turn: its snapshot is later than every question in it.
      await pool.use(connection => sendTaken(connection, waiting.splice(0, sizeMax)), until)
    } catch (fault) {
      for (const { reject } of waiting.splice(0, sizeMax)) reject(fault)
    }
  }

  const go = async (): Promise<void> => {
    if (flights >= flightsMax) return
    flights += 1
    while (waiting.length > 0) await fly()
    flights -= 1
  }

  return (input, until) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, until, resolve, reject })
      queueMicrotask(() => void go())
    })
}
