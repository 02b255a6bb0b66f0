// Every server that listens, for HTTP or HTTPS, and what bounds a connection before any route is looked at.
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer, type ServerOptions as SecureServerOptions } from 'node:https'
import { serveInTurn } from './pipelining.ts'

export type Timeouts = {
  /**
   * For a TLS handshake, and from then on, or from the first byte of a later request, for all of its header fields and for
   * all of its body: who sends a byte a minute holds no connection for ever.
   */
  readonly requestMs: number
  /** How often what is too slow is looked for. */
  readonly checkMs: number
  /** For a connection on which nothing moves, whether its next request or the reading of a response is waited for. */
  readonly idleMs: number
}

const TIMEOUTS: Timeouts = { requestMs: 30_000, checkMs: 1000, idleMs: 72_000 }

/** PEM, and whether clients are asked for certificates. */
export type Tls = Pick<
  SecureServerOptions,
  'cert' | 'key' | 'ca' | 'requestCert' | 'rejectUnauthorized' | 'secureOptions'
>

type ListenerOptions = {
  /** Without it the server speaks plain HTTP. */
  readonly https?: Tls | undefined
  readonly timeouts?: Timeouts | undefined
}

// RFC 9112 §9.6: who sends no more may wait for answers all the same. Node ends the connection as soon as it hears of that,
// unless its server has this property, which Node's types do not know; of TLS each socket has to be told besides.
const ANSWER_HALF_OPEN = { httpAllowHalfOpen: true }
const KEEP_HALF_OPEN = { allowHalfOpen: true }

/** Makes a server that hands the requests of each connection to `handle` in turn. It listens once its caller says so. */
export const makeListener = (handle: RequestListener, { https, timeouts = TIMEOUTS }: ListenerOptions): Server => {
  const options = {
    headersTimeout: timeouts.requestMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: timeouts.checkMs,
    keepAliveTimeout: timeouts.idleMs,
    // A request without Host is refused by us, in our shape.
    requireHostHeader: false,
  }
  const listener = serveInTurn(handle)
  const server =
    https === undefined
      ? createServer(options, listener)
      : createSecureServer({ ...options, ...https, ...KEEP_HALF_OPEN, handshakeTimeout: timeouts.requestMs }, listener)
  Object.assign(server, ANSWER_HALF_OPEN)
  server.timeout = timeouts.idleMs
  // RFC 9110 §10.1.1: an expectation that we do not know may be passed over.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return server
}
