// The connections of one kind of honest caller. Each carries one request at a time.
import { type Answer, type Connection, openConnection } from '../connection.ts'

export type Exchanged = {
  readonly answer: Answer | null
  /** When the request had left; NaN where no connection was made. */
  readonly sentAt: number
  /** The connection stayed open, and no answer came within ANSWER_MS_MAX. */
  readonly isForgotten: boolean
}

export type Connections = {
  readonly exchange: (request: string) => Promise<Exchanged>
  /** Opens as many as are kept, so that none has to be opened beside a flood. */
  readonly open: () => Promise<void>
}

/** The longest wait for a response: longer than any may take. */
export const ANSWER_MS_MAX = 15_000

type Waiting = (connection: Connection | null) => void

const exchangeOn = async (open: () => Promise<Connection>, request: string) => {
  let sentAt = Number.NaN
  let connection: Connection | undefined
  try {
    connection = await open()
    sentAt = performance.now()
    const answer = await connection.exchange(request)
    return { exchanged: { answer, sentAt, isForgotten: false }, connection }
  } catch {
    // Not connected, or the connection ended: where nothing came for the longest time, this side ended it.
    connection?.close()
    const isForgotten = performance.now() - sentAt >= ANSWER_MS_MAX - 1
    return { exchanged: { answer: null, sentAt, isForgotten }, connection: null }
  }
}

const connectTo = (port: number) => (): Promise<Connection> => openConnection(port, ANSWER_MS_MAX)

/** Keeps at most so many, as an HTTP client does: a request waits where none is free. */
export const keepConnections = (port: number, most: number): Connections => {
  const connect = connectTo(port)
  const free: Connection[] = []
  const waiting: Waiting[] = []
  let inUse = 0
  const takeFree = (): Connection | null => {
    const connection = free.pop()
    if (connection === undefined) return null
    return connection.hasEnded() ? takeFree() : connection
  }
  const take = async (): Promise<Connection> => {
    if (inUse >= most) {
      const handed = await new Promise<Connection | null>(resolve => waiting.push(resolve))
      return handed ?? connect()
    }
    inUse += 1
    return takeFree() ?? connect()
  }
  const release = (connection: Connection | null): void => {
    const next = waiting.shift()
    if (next !== undefined) return next(connection)
    inUse -= 1
    if (connection !== null) free.push(connection)
  }
  return {
    exchange: async request => {
      const { exchanged, connection } = await exchangeOn(take, request)
      release(connection)
      return exchanged
    },
    open: async () => {
      const missing = most - inUse - free.filter(connection => !connection.hasEnded()).length
      free.push(...(await Promise.all(Array.from({ length: Math.max(0, missing) }, connect))))
    },
  }
}

/** Opens one for each request, and closes it after the answer. */
export const freshConnections = (port: number): Connections => ({
  exchange: async request => {
    const { exchanged, connection } = await exchangeOn(connectTo(port), request)
    connection?.close()
    return exchanged
  },
  open: () => Promise.resolve(),
})
