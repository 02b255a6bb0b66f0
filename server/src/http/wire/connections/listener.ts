// Every server that listens, for HTTP or HTTPS, and what bounds a connection before any route is looked at.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type ServerOptions as SecureServerOptions } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Timing } from '../../../ports/timing.ts'
import type { ConnectionLimit } from './connection-limit.ts'
import { closeInOrder, type CloseTiming } from './closing.ts'
import { type Draining, serveInTurn } from './pipelining.ts'
import { sourceOfSocket } from '../source.ts'

/** The request line and the header fields. */
export const HEADER_BYTES_MAX = 16_384

/** PEM, and whether clients are asked for certificates. */
export type Tls = Pick<
  SecureServerOptions,
  'cert' | 'key' | 'ca' | 'requestCert' | 'rejectUnauthorized' | 'secureOptions'
>

type ListenerOptions = {
  /** The certificate and key; without them the server speaks plain HTTP. */
  readonly https?: Tls | undefined
  readonly timing: Pick<Timing, 'connectionCheckMs' | 'idleConnectionMs'> & CloseTiming
  /** The limit on connections; without it the system's own applies. */
  readonly connections?: ConnectionLimit | undefined
  /** Called for each connection beyond it. */
  readonly onBeyond?: (() => void) | undefined
  /** The class of its responses; Node's own unless it is given. */
  readonly ServerResponse?: typeof ServerResponse | undefined
  /** Called for each request that waits for the responses before it on its connection. */
  readonly onWaiting?: ((request: IncomingMessage) => void) | undefined
}

// RFC 9112 §9.6: a peer that sends no more may wait for answers all the same. Node ends the connection as soon as it hears of that,
// unless its server has this property, which Node's types do not know.
const ANSWER_HALF_OPEN = { httpAllowHalfOpen: true }

/** Configures each TLS socket too, once its handshake is done: before, a client that hangs up is gone. */
const keepHalfOpen = (socket: TLSSocket): void => {
  socket.allowHalfOpen = true
}

/** Has nothing done for a connection beyond the limit: neither a TLS handshake nor a parser begins, and no byte is read. */
const admitUpTo =
  ({ enter }: ConnectionLimit, onBeyond?: () => void) =>
  (socket: Socket): boolean => {
    const leave = enter(sourceOfSocket(socket))
    if (leave !== null) socket.once('close', leave)
    // Not closed in order: the closed halves of a million such connections would each stay in the system for a minute.
    else {
      socket.resetAndDestroy()
      onBeyond?.()
    }
    return leave !== null
  }

const TUNNEL = Object.assign(new Error('CONNECT asks for a tunnel.'), { code: 'CONNECT' })

/** Refuses CONNECT: without a handler Node cuts the connection, and with it the responses to the requests before it. */
const refuseTunnels = (server: Server): void => {
  server.on('connect', (_request, socket) => {
    // Node listens to it no more.
    socket.on('error', () => undefined)
    // Where it was paused for a request that waits, Node's parser was what paused it: the stream itself has to read now.
    socket.push('')
    server.emit('clientError', TUNNEL, socket)
  })
}

/** Makes a server that hands the requests of each connection to `handle` in turn. It listens once its caller says so. */
export const makeListener = (handle: RequestListener, options: ListenerOptions): Server => {
  const { https, timing, connections, onBeyond, ServerResponse: Response, onWaiting } = options
  const bounds = {
    // Else NODE_OPTIONS decides, and a lenient parser may divide requests otherwise than a proxy in front did.
    insecureHTTPParser: false,
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: timing.requestMs,
    requestTimeout: timing.requestMs,
    connectionsCheckingInterval: timing.connectionCheckMs,
    keepAliveTimeout: timing.idleConnectionMs,
    // A request without Host is refused by us, in our shape.
    requireHostHeader: false,
    ...(Response !== undefined && { ServerResponse: Response }),
  }
  const draining: Draining = { isOn: false }
  const listener = serveInTurn(handle, { onWaiting, draining })
  const server =
    https === undefined
      ? createServer(bounds, listener)
      : createSecureServer({ ...bounds, ...https, handshakeTimeout: timing.requestMs }, listener)
  Object.assign(server, ANSWER_HALF_OPEN)
  server.prependListener('secureConnection', keepHalfOpen)
  server.timeout = timing.idleConnectionMs
  // Node 24 drops lines beyond 2,000, such as what a proxy appends about its caller. Their bytes are bounded.
  server.maxHeadersCount = 0
  const admit = connections && admitUpTo(connections, onBeyond)
  closeInOrder(server, { timing, isSecure: https !== undefined, draining, admit })
  refuseTunnels(server)
  // RFC 9110 §10.1.1: an expectation that we do not know may be passed over.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return server
}
