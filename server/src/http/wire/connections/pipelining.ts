// Serves the requests of a connection one after another, however many of them arrive together.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type SourceOf, sourceOfSocket } from '../source.ts'

/**
 * How many requests of a connection may wait for the response before theirs, in any case. They take about as much memory as
 * the connection itself: a peer that opens many gains little by filling them.
 */
const OWN_WAITING_MAX = 8

/**
 * How many more may wait at a listener, of all its connections together. Node parses 64 kB at a time, which hold 3,600
 * requests, and each takes 2 kB. A connection that has one more is closed.
 */
const SHARED_WAITING_MAX = 16_384

/** What waits at one listener beyond OWN_WAITING_MAX of each connection. */
type Room = { taken: number }

/** The pause after a refusal for want of room: nothing of the connection is read or begun for a while. */
type Rest = { begin?: () => void }

type Connection = {
  readonly room: Room
  /** The response to the request that arrived last. */
  last: ServerResponse
  waiting: number
  /** Whether it is watched, from its first pause on, so that it stays paused and gives its room back. */
  isWatched: boolean
  rest: Rest | null
  /** Responds in place of a request whose body can never be read whole. */
  answerBroken?: () => void
}

// One entry for a connection, not for a request.
const connections = new WeakMap<Socket, Connection>()

const count = (connection: Connection, change: number): void => {
  const before = connection.waiting
  connection.waiting += change
  connection.room.taken += Math.max(0, connection.waiting - OWN_WAITING_MAX) - Math.max(0, before - OWN_WAITING_MAX)
}

/** Reads no more of the connection for now. Node itself resumes it as it reads a body or ends a response. */
const pause = (socket: Socket, connection: Connection): void => {
  socket.pause()
  if (connection.isWatched) return
  connection.isWatched = true
  socket.on('resume', () => {
    if (socket.writable && (connection.waiting > 0 || connection.rest !== null)) socket.pause()
  })
  socket.once('close', () => count(connection, -connection.waiting))
}

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly socket: Socket }

/** Whether each answer is the last of its connection, unless another request of it waits. */
export type Draining = { isOn: boolean }

type Turns = {
  /** Called for a request that waits. */
  readonly onWaiting?: ((request: IncomingMessage) => void) | undefined
  readonly draining?: Readonly<Draining>
}

/** How the requests of one listener wait. */
const makeWaiting = (handle: RequestListener, { onWaiting = () => undefined, draining = { isOn: false } }: Turns) => {
  const begin = (exchange: Exchange, connection: Connection): void => {
    const { request, socket } = exchange
    if (!socket.writable) return
    if (connection.rest !== null) {
      connection.rest.begin = () => begin(exchange, connection)
      return
    }
    count(connection, -1)
    if (connection.waiting === 0) socket.resume()
    if (connection.answerBroken !== undefined && !request.complete) connection.answerBroken()
    else start(exchange, connection)
  }

  const startLast = ({ request, response, socket }: Exchange, connection: Connection): void => {
    if (!socket.writable) return
    if (connection.waiting === 0) response.shouldKeepAlive = false
    handle(request, response)
  }

  const start = (exchange: Exchange, connection: Connection): void => {
    // Node drops what follows in the same bytes: the caller must know that it is not answered.
    if (exchange.request.headers.upgrade !== undefined) exchange.response.shouldKeepAlive = false
    // What came in the same bytes is read by then.
    if (draining.isOn) setImmediate(startLast, exchange, connection)
    else handle(exchange.request, exchange.response)
  }

  const wait = (exchange: Exchange, connection: Connection): void => {
    const { request, response, socket } = exchange
    const before = connection.last
    connection.last = response
    if (!socket.writable) return
    if (draining.isOn && !before.headersSent) before.shouldKeepAlive = true
    if (connection.waiting >= OWN_WAITING_MAX && connection.room.taken >= SHARED_WAITING_MAX) {
      socket.destroy()
      return
    }
    if (connection.waiting === 0) pause(socket, connection)
    count(connection, 1)
    onWaiting(request)
    // One request of a connection in a turn of the event loop: the other connections have their turns in between.
    before.once('close', () => setImmediate(begin, exchange, connection))
  }
  return { start, wait }
}

/**
 * Calls `handle` for a request once the responses before it are out; never for one whose connection has closed meanwhile, or
 * was ended by such a response.
 * RFC 9112 §9.3.2: only safe methods may be handled at the same time, and the responses must keep the order.
 */
export const serveInTurn = (handle: RequestListener, turns: Turns = {}): RequestListener => {
  const { start, wait } = makeWaiting(handle, turns)
  const room: Room = { taken: 0 }
  return (request, response) => {
    const { socket } = request
    const exchange = { request, response, socket }
    const known = connections.get(socket)
    // Node gives a response its socket once those before it are out, which nearly always is at once.
    if (known !== undefined && response.socket === null) return wait(exchange, known)
    const connection = known ?? { room, last: response, waiting: 0, isWatched: false, rest: null }
    if (known === undefined) connections.set(socket, connection)
    else known.last = response
    if (socket.writable) start(exchange, connection)
  }
}

/** Returns the response to the request of the connection that arrived last. */
export const lastResponseOf = (socket: Socket): ServerResponse | undefined => connections.get(socket)?.last

/** The seconds after which a caller that was refused for want of room should ask again; until then its connection rests. */
export const RETRY_AFTER_SECONDS = 1

/**
 * Reads no more of the connection for a while, and begins nothing that it has sent already: its last request was refused for
 * want of room, and a caller that retries without a pause would keep the thread busy with refusals. The connection of a
 * trusted proxy does not rest: other callers would wait too.
 */
export const restConnection = (request: IncomingMessage, sourceOf: SourceOf): void => {
  const { socket } = request
  const connection = connections.get(socket)
  if (connection === undefined || connection.rest !== null || socket.destroyed) return
  if (sourceOf({ raw: request }) !== sourceOfSocket(socket)) return
  const rest: Rest = {}
  connection.rest = rest
  pause(socket, connection)
  setTimeout(() => {
    connection.rest = null
    if (connection.waiting === 0) socket.resume()
    rest.begin?.()
  }, 1000 * RETRY_AFTER_SECONDS).unref()
}

type Ending = {
  /** Sends the one answer to the bytes that cannot be read. */
  readonly answer: () => void
  /** Ends a connection whose caller has had the answer to its last request. */
  readonly end: () => void
}

/** What is to become of a connection of which no more can be read: the responses under way come first. */
export const endInTurn = (socket: Socket, { answer, end }: Ending): void => {
  const connection = connections.get(socket)
  if (connection === undefined) return answer()
  const { last } = connection
  if (last.req.complete) {
    if (last.closed) answer()
    else last.once('close', answer)
  } else if (last.socket === null && !last.closed) connection.answerBroken = answer
  else if (!last.headersSent) answer()
  else if (last.closed) end()
  else last.once('close', end)
}
