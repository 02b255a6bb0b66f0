// Has a server listen whose issuer names its port.
import type { FastifyInstance } from 'fastify'
import { BACKLOG } from '../../server/src/http/wire/accepting.ts'
import { freePort } from '../processes/free-port.ts'

const PORTS_TRIED_MAX = 5

/** The issuer names the port, so the port is chosen first; another process may take it in between. */
export const listenOnFreePort = async (
  build: (authority: string) => FastifyInstance,
  tries = 1,
): Promise<FastifyInstance> => {
  const port = await freePort()
  const server = build(`127.0.0.1:${port}`)
  try {
    // As the program: with Node's 511 the system drops connections of a burst, answers late, and resets some.
    await server.listen({ host: '127.0.0.1', port, backlog: BACKLOG })
    return server
  } catch (error) {
    await server.close()
    if (tries === PORTS_TRIED_MAX) throw error
    return listenOnFreePort(build, tries + 1)
  }
}
