// Tokens end so many a second, each by itself, whatever becomes of the ones before.
import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, openConnection } from '../../connection.ts'
import { type Access, claimsOf, revokeRequest } from '../../requests.ts'

export type Ending = {
  /** Sends no more, and waits for what is under way. */
  readonly stop: () => Promise<void>
  /** When the response that acknowledged each end had arrived, by the tail of the token's id: ms of CLOCK_MONOTONIC. */
  readonly acknowledged: ReadonlyMap<string, number>
}

const CONNECTIONS_MAX = 64
const TAIL_DIGITS = 16

const now = (): number => Number(process.hrtime.bigint()) / 1e6

const tailOf = (token: string): string => claimsOf(token).jti.replaceAll('-', '').slice(-TAIL_DIGITS)

type Plan = { readonly access: Access; readonly tokens: readonly string[]; readonly ratePerSecond: number }

export const startEnding = async ({ access, tokens, ratePerSecond }: Plan): Promise<Ending> => {
  const count = Math.min(CONNECTIONS_MAX, ratePerSecond)
  const connections = await Promise.all(Array.from({ length: count }, () => openConnection(access.port)))
  const acknowledged = new Map<string, number>()
  const start = performance.now()
  const state = { isOver: false, next: 0 }
  const endOn = async (connection: Connection): Promise<void> => {
    while (!state.isOver && state.next < tokens.length) {
      const n = state.next
      state.next += 1
      const wait = start + (1000 * n) / ratePerSecond - performance.now()
      if (wait > 0) await delay(wait)
      const token = tokens[n] ?? ''
      const { status, body } = await connection.exchange(revokeRequest(access, token, 'manual_revocation'))
      if (status !== 200) throw new Error(`A revocation was answered ${status}: ${body.slice(0, 300)}`)
      acknowledged.set(tailOf(token), now())
    }
  }
  const running = Promise.all(connections.map(endOn))
  // Reported to the one who stops it.
  running.catch(() => undefined)
  return {
    acknowledged,
    stop: async () => {
      state.isOver = true
      await running
      for (const connection of connections) connection.close()
    },
  }
}
