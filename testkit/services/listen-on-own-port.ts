// Has a server listen whose issuer names its port: the port is bound before the server is built, and given
// up once it listens. Only a program of the same user that wants to share this very port could take it meanwhile.
import { once } from 'node:events'
import { type AddressInfo, createServer, type ListenOptions } from 'node:net'
import type { FastifyInstance, FastifyListenOptions } from 'fastify'
import { BACKLOG } from '../../server/src/http/wire/connections/accepting.ts'

/** Elsewhere the port is given up just before the server takes it. */
const SHARED = process.platform === 'linux'
const HOST = '127.0.0.1'

/** `build` is given the authority, HOST:PORT. */
export const listenOnOwnPort = async <T extends { readonly app: FastifyInstance }>(
  build: (authority: string) => Promise<T>,
): Promise<T> => {
  // Who asks for what listened on the port before gets no answer from it.
  const holder = createServer(socket => socket.destroy()).listen({ host: HOST, port: 0, reusePort: SHARED })
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  try {
    const built = await build(`${HOST}:${port}`)
    // What it does before it listens is done while the port is held.
    await built.app.ready()
    if (!SHARED) await once(holder.close(), 'close')
    // As the program: with Node's 511 the system drops connections of a burst, answers late, and resets some.
    const where: ListenOptions & FastifyListenOptions = { host: HOST, port, backlog: BACKLOG, reusePort: SHARED }
    await built.app.listen(where)
    return built
  } finally {
    holder.close()
  }
}
