// Makes load: closed-loop for throughput and processor time, open-loop for latency.
import { type Answer, type Connection, openConnection } from './connection.ts'
import { processorSeconds } from '../../testkit/processes/process-costs.ts'

/** What is asked of a server. */
export type Load = {
  readonly port: number
  readonly pid: number
  /** Processor time of the server until now, where it is measured in another way than by ticks. */
  readonly spentSeconds?: () => number
  /** The next request; undefined where none is left, which ends the slice. */
  readonly next: () => string | undefined
  /** Takes an answer; throws where it is not the one expected. */
  readonly take: (answer: Answer) => void
}

/** An answer that a measurement must not count. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer'
  constructor(name: string, { status, body }: Answer) {
    super(`${name} was answered ${status}: ${body.slice(0, 400)}`)
  }
}

export type Tally = {
  readonly requests: number
  readonly seconds: number
  /** The processor time of the server, all its threads. */
  readonly processorSeconds: number
  /** The processor time of this process, which makes the load. */
  readonly generatorSeconds: number
}

const generatorSeconds = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Opens connections, runs `work` on them, closes them; a connection that fails fails the whole. */
const onConnections = async <T>(
  port: number,
  count: number,
  work: (connections: readonly Connection[], failed: (reason: unknown) => void) => Promise<T>,
): Promise<T> => {
  const failure = Promise.withResolvers<never>()
  // It may fail while nothing waits for it yet.
  failure.promise.catch(() => undefined)
  const connections = await Promise.all(Array.from({ length: count }, () => openConnection(port, failure.reject)))
  try {
    return await Promise.race([work(connections, failure.reject), failure.promise])
  } finally {
    for (const connection of connections) connection.close()
  }
}

/** Each connection asks again as soon as it is answered. What is under way at the end is answered and counted. */
export const runClosed = (load: Load, connections: number, milliseconds: number): Promise<Tally> =>
  onConnections(load.port, connections, async (opened, failed) => {
    const { spentSeconds = () => processorSeconds(load.pid) } = load
    const before = { server: spentSeconds(), generator: generatorSeconds(), at: performance.now() }
    const end = before.at + milliseconds
    let requests = 0
    const ask = (connection: Connection, done: () => void): void => {
      const request = performance.now() < end ? load.next() : undefined
      if (request === undefined) return done()
      connection.ask(request, answer => {
        requests += 1
        try {
          load.take(answer)
          ask(connection, done)
        } catch (error) {
          failed(error)
        }
      })
    }
    await Promise.all(opened.map(connection => new Promise<void>(done => ask(connection, done))))
    return {
      requests,
      seconds: (performance.now() - before.at) / 1000,
      processorSeconds: spentSeconds() - before.server,
      generatorSeconds: generatorSeconds() - before.generator,
    }
  })

type Pace = { readonly connections: number; readonly ratePerSecond: number; readonly seconds: number }

/**
 * Requests arrive at fixed times whatever the server does, and wait where no connection is free. Latency in ms counts
 * from the time a request was meant to leave, so that a stall is not hidden by the requests it held back. Sorted.
 */
export const runOpen = (load: Load, { connections, ratePerSecond, seconds }: Pace): Promise<Float64Array> =>
  onConnections(load.port, connections, (opened, failed) => {
    const total = Math.max(1, Math.floor(ratePerSecond * seconds))
    const { promise, resolve } = Promise.withResolvers<Float64Array>()
    const latencies = new Float64Array(total)
    const free = [...opened]
    const start = performance.now()
    const dueAt = (n: number): number => start + (n * 1000) / ratePerSecond
    const dueBy = (now: number): number => Math.min(total, Math.floor(((now - start) * ratePerSecond) / 1000) + 1)
    let sent = 0
    let answered = 0
    const send = (connection: Connection): void => {
      const due = dueAt(sent)
      const request = load.next()
      if (request === undefined) return failed(new Error('No request is left for the open loop.'))
      sent += 1
      connection.ask(request, answer => {
        latencies[answered] = performance.now() - due
        answered += 1
        try {
          load.take(answer)
        } catch (error) {
          return failed(error)
        }
        free.push(connection)
        if (answered === total) resolve(latencies.toSorted())
      })
    }
    // Spins, on a core of its own: a timer would add up to a millisecond to each latency.
    const pace = (): void => {
      for (const connection of free.splice(0, dueBy(performance.now()) - sent)) send(connection)
      if (sent < total) setImmediate(pace)
    }
    pace()
    return promise
  })
