// An address that nothing in a JWT may make anybody call: it counts who comes, and would hand out an attacker's keys.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { JWK } from 'jose'

export type Trap = {
  readonly address: string
  /** Connections so far. */
  readonly visits: () => number
  readonly close: () => Promise<void>
}

/** Whatever it is asked for, it answers with everything that a service might look for there. */
const answerOf = (address: string, keys: readonly JWK[]): string =>
  JSON.stringify({ issuer: address, jwks_uri: `${address}/jwks`, keys })

export const setTrap = async (keys: readonly JWK[]): Promise<Trap> => {
  let visits = 0
  const server = createServer((_request, response) => void response.end(answerOf(address, keys)))
  server.on('connection', () => {
    visits += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('The trap has no port.')
  const address = `http://127.0.0.1:${bound.port}`
  const close = async (): Promise<void> => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  return { address, visits: () => visits, close }
}
