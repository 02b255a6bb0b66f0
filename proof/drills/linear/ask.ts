// Requests of a client, with the times around each.
import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, ConnectionLost, openConnection } from '../connection.ts'
import { AFTER_ERROR_MS, RECONNECT_MS, UNREACHABLE_MS_MAX } from './shares.ts'

export type Asker = { readonly port: number; readonly connections: Map<number, Connection> }

/** An answer with the times around it. */
export type Timed = {
  readonly sentAt: bigint
  readonly receivedAt: bigint
  readonly status: number
  readonly body: string
}

type How = {
  readonly port?: number
  /** A status with which the request may be refused. */
  readonly refusal?: number
}

/** Asks on a connection of its own; undefined for an error, whose outcome is unknown. Another refusal throws. */
export const makeAsk = (answerMsMax: number, onError: () => void) => {
  /** Waits until a process listens on the port again. */
  const connectionOf = async ({ connections }: Asker, port: number): Promise<Connection> => {
    const until = performance.now() + UNREACHABLE_MS_MAX
    for (;;) {
      const open = connections.get(port)
      if (open !== undefined) return open
      try {
        connections.set(port, await openConnection(port, answerMsMax))
      } catch (fault) {
        if (!(fault instanceof ConnectionLost) || performance.now() > until) throw fault
        await delay(RECONNECT_MS)
      }
    }
  }

  return async (
    asker: Asker,
    request: string,
    { port = asker.port, refusal }: How = {},
  ): Promise<Timed | undefined> => {
    const connection = await connectionOf(asker, port)
    const sentAt = process.hrtime.bigint()
    try {
      const { status, body } = await connection.exchange(request)
      const receivedAt = process.hrtime.bigint()
      if (status === 200 || status === refusal) return { sentAt, receivedAt, status, body }
      if (status < 500) throw new Error(`A good request was refused with ${status}: ${body}`)
    } catch (fault) {
      if (!(fault instanceof ConnectionLost)) throw fault
      connection.close()
      asker.connections.delete(port)
    }
    onError()
    await delay(AFTER_ERROR_MS)
    return undefined
  }
}
