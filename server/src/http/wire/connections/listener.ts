// Every server that listens, for HTTP or HTTPS: what bounds a connection before any route is looked at, and how the server ends.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type ServerOptions as SecureServerOptions } from 'node:https'
import type { Socket, Server as Listener } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Timing } from '../../../ports/timing.ts'
import type { ConnectionLimit } from './connection-limit.ts'
import { type Draining, serveInTurn, lastResponseOf } from './pipelining.ts'
import { sourceOfSocket } from '../source.ts'
import { makeStopListening, type StopTiming } from '../../../../../packages/gateway/src/process/stop-listening.ts'
import { type EndTiming, endGently } from './end-gently.ts'

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

// How a server ends: each answer says that it is the last of its connection, what was begun is answered, and no connection is
// reset, whichever of the listening sockets accepted it (accepting.ts).

type CloseTiming = EndTiming & StopTiming & Pick<Timing, 'closeIdleMs' | 'closeRequestMs' | 'closeConnectionsMs'>

type Closing = { readonly drain: () => void; readonly beside: Listener[] }

const closings = new WeakMap<Server, Closing>()

/** Makes every further response of the server end its connection. */
export const drain = (server: Server): void => closings.get(server)?.drain()

/** Has a socket whose connections the server gets close with it. */
export const closeBeside = (server: Server, listener: Listener): void =>
  void closings.get(server)?.beside.push(listener)

const isAnswering = (socket: Socket): boolean => lastResponseOf(socket)?.closed === false

/** Has the answer under way, unless its head is out, say that no other comes. */
const announceEnd = (socket: Socket): void => {
  const last = lastResponseOf(socket)
  if (last !== undefined && !last.headersSent) last.shouldKeepAlive = false
}

const LATE = Object.assign(new Error('The server closes.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

/** Watches the connections that speak HTTP, each with the bytes that were read of it when it was last idle. */
const watchSpeaking = (server: Server, timing: CloseTiming, isSecure: boolean) => {
  const speaking = new Map<Socket, number>()
  server.prependListener(isSecure ? 'secureConnection' : 'connection', (socket: Socket) => {
    // Bytes that wait in the stream of a connection that was held do not count: nobody has read them.
    speaking.set(socket, socket.bytesRead - socket.readableLength)
    socket.once('close', () => speaking.delete(socket))
    // Node calls this after the last response, and would close a connection of which not all is read.
    socket.destroySoon = () => endGently(socket, timing)
  })

  const endResting = (): void => {
    for (const [socket, bytesRead] of speaking) {
      if (!isAnswering(socket)) {
        // After further bytes a request is arriving: its answer ends the connection.
        if (socket.bytesRead === bytesRead) endGently(socket, timing)
      } else if (lastResponseOf(socket)?.headersSent === true) {
        lastResponseOf(socket)?.once('close', () => endGently(socket, timing))
      }
    }
  }

  const refuseArriving = (): void => {
    for (const socket of speaking.keys()) {
      const isWhole = isAnswering(socket) && lastResponseOf(socket)?.req.complete === true
      if (socket.writable && !isWhole) server.emit('clientError', LATE, socket)
    }
  }

  const announce = (): void => {
    for (const socket of speaking.keys()) {
      speaking.set(socket, socket.bytesRead)
      announceEnd(socket)
    }
  }
  return { announce, endResting, refuseArriving }
}

/** All connections of a server, those in a TLS handshake too. */
const watchOpen = (server: Server) => {
  const open = new Set<Socket>()
  let onEmpty: (() => void) | undefined
  server.prependListener('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      if (open.size === 0) onEmpty?.()
    })
  })
  const empty = (): Promise<void> =>
    new Promise(resolve => {
      onEmpty = resolve
      if (open.size === 0) resolve()
    })
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  return { empty, cut }
}

type Options = {
  readonly timing: CloseTiming
  readonly isSecure: boolean
  readonly draining: Draining
  /** Called with each connection before anything else; one that is not admitted it has ended. */
  readonly admit: ((socket: Socket) => boolean) | undefined
}

/** Replaces how the server closes, and turns on the draining. */
const closeInOrder = (server: Server, { timing, isSecure, draining, admit }: Options): void => {
  const { announce, endResting, refuseArriving } = watchSpeaking(server, timing, isSecure)
  const { empty, cut } = watchOpen(server)
  const stopListening = makeStopListening(server, admit)
  const closeNow = server.close.bind(server)
  const beside: Listener[] = []
  const drainNow = (): void => {
    if (draining.isOn) return
    draining.isOn = true
    announce()
  }

  const finish = async (done?: (fault?: Error) => void): Promise<void> => {
    const { promise: fault, resolve: end } = Promise.withResolvers<Error | undefined>()
    const steps = [setTimeout(refuseArriving, timing.closeRequestMs), setTimeout(cut, timing.closeConnectionsMs)]
    await stopListening([...beside.map(one => () => one.close()), () => closeNow(end)], timing)
    steps.push(setTimeout(endResting, timing.closeIdleMs))
    await empty()
    for (const step of steps) clearTimeout(step)
    done?.(await fault)
  }

  closings.set(server, { drain: drainNow, beside })
  // Node would reset those whose next request is on its way.
  server.closeIdleConnections = () => undefined
  server.close = done => {
    drainNow()
    void finish(done)
    return server
  }
}
