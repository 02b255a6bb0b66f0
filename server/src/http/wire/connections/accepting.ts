// In this folder: the life of a connection: accepting, limits, client certificates, pipelined and broken requests, an orderly end.
// Accepts connections as fast as they come. Node accepts one connection of a listening socket in each turn of the event loop,
// and under load a turn takes milliseconds: those of strangers would fill the queue in front of everybody else's. So a
// server listens on its port several times, and the system spreads new connections over these sockets.
import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { Server as SecureServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { closeBeside } from './listener.ts'

/** Listening sockets of one server. */
const SOCKETS = 4
/** How many connections may wait to be accepted, of all sockets of a server. Linux allows each no more than net.core.somaxconn. */
export const BACKLOG = 4096
export const SOCKET_BACKLOG = BACKLOG / SOCKETS

/**
 * One more socket, whose connections the server gets as if they were of its own. Of TLS none may be half-open before its handshake
 * is done: a health check that connects and hangs up would stay until that is late.
 */
export const makeBeside = (server: HttpServer): Server => {
  const allowHalfOpen = !(server instanceof SecureServer)
  return createServer({ allowHalfOpen, noDelay: true }, socket => server.emit('connection', socket))
}

const listenBeside = async (app: FastifyInstance, { address, port }: AddressInfo): Promise<Server> => {
  const server = makeBeside(app.server)
  server.listen({ host: address, port, backlog: SOCKET_BACKLOG, reusePort: true })
  await once(server, 'listening')
  return server
}

/** Opens further sockets for a server that listens with `reusePort`. Throws if the system has no more sockets. */
export const acceptInNumbers = async (app: FastifyInstance): Promise<void> => {
  const place = app.server.address()
  if (place === null || typeof place === 'string') throw new Error('The server does not listen on a port.')
  for (let n = 1; n < SOCKETS; n += 1) closeBeside(app.server, await listenBeside(app, place))
}
