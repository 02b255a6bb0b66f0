// Accepts connections as fast as they come. Node accepts one connection of a listening socket in each turn of the event loop,
// and under load a turn takes milliseconds: those of strangers would fill the queue in front of everybody else's. So a
// server listens on its port several times, and the system spreads new connections over these sockets.
import { createServer, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Listening sockets of one server. */
const SOCKETS = 4
/** How many connections may wait to be accepted, of all sockets of a server. Linux allows each no more than net.core.somaxconn. */
export const BACKLOG = 4096
export const SOCKET_BACKLOG = BACKLOG / SOCKETS

/** Before the server listens, which it must do with `reusePort`. `onFault` hears of a socket that cannot listen: the others do. */
export const acceptInNumbers = (app: FastifyInstance, onFault: (fault: Error) => void): void => {
  const beside: Server[] = []
  const listenBeside = (): void => {
    const place = app.server.address()
    if (place === null || typeof place === 'string') return
    for (let n = 1; n < SOCKETS; n += 1) {
      const server = createServer({ allowHalfOpen: true, noDelay: true }, socket =>
        app.server.emit('connection', socket),
      )
      server.on('error', onFault)
      server.listen({ host: place.address, port: place.port, backlog: SOCKET_BACKLOG, reusePort: true })
      beside.push(server)
    }
  }
  app.server.once('listening', listenBeside)
  app.addHook('preClose', done => {
    for (const server of beside) server.close()
    done()
  })
}
