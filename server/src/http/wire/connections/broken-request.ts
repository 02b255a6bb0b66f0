// Answers what Node could not read as HTTP at all: bad syntax, headers that are too large, a request that is too slow.
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type AccessLog, refusedLine } from '../../notes/access-line.ts'
import { noteOf, type RequestNote } from '../../notes/request-note.ts'
import { ERRORS } from '../error-reference.ts'
import { type EndTiming, endGently } from './end-gently.ts'
import { HEADER_BYTES_MAX } from './listener.ts'
import { endInTurn, lastResponseOf } from './pipelining.ts'
import { formatError } from '../refusals.ts'

type Answer = Parameters<typeof formatError>[0]

const NOT_HTTP: Answer = {
  code: 'invalid_request',
  description: 'The request is not HTTP that this service can read.',
}

/** The responses by error code: Node's, or that of listener.ts. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'request_timeout', description: 'The request did not arrive in time.' },
  HPE_HEADER_OVERFLOW: {
    code: 'header_fields_too_large',
    description: `The request line and the header fields are larger than ${HEADER_BYTES_MAX} bytes: send fewer or shorter ones, and in a browser delete the cookies of this host.`,
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    code: 'request_too_large',
    description: 'The chunk extensions of the body are larger than this service takes.',
  },
  // RFC 9110 §9.1.
  CONNECT: { code: 'not_implemented', description: 'This service is no proxy: it opens no tunnels.' },
}

const headersOf = (body: string, requestId: string): Readonly<Record<string, string>> => ({
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(body.length),
  'cache-control': 'no-store',
  pragma: 'no-cache',
  'x-request-id': requestId,
  connection: 'close',
})

const messageOf = (answer: Answer, requestId: string): string => {
  const status = ERRORS[answer.code].status
  const body = formatError(answer)
  const fields = Object.entries(headersOf(body, requestId)).map(([name, value]) => `${name}: ${value}`)
  return `${[`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...fields].join('\r\n')}\r\n\r\n${body}`
}

// Nothing can be said to a caller who hung up, nor on a connection whose TLS handshake has not ended.
const isGone = ({ code }: { readonly code?: string }): boolean =>
  code === 'ECONNRESET' || code === 'ERR_TLS_HANDSHAKE_TIMEOUT'

/** What Node reads, and no route can. */
const UNREAD = {
  not_http: NOT_HTTP,
  // RFC 9112 §6.1.
  transfer_coding: { code: 'not_implemented', description: 'The body has another transfer coding than chunked.' },
} as const satisfies Readonly<Record<string, Answer>>

export type RefuseUnread = (response: ServerResponse, what: keyof typeof UNREAD) => void

/** Refuses requests before any route, and ends their connections: where the next request begins is not certain. */
export const makeUnreadRefuser =
  ({ makeId, accessLog = null }: Pick<Options, 'makeId' | 'accessLog'>): RefuseUnread =>
  (response, what) => {
    const answer: Answer = UNREAD[what]
    const [id, body, { status }] = [makeId(), formatError(answer), ERRORS[answer.code]]
    response.writeHead(status, headersOf(body, id)).end(body)
    accessLog?.(refusedLine(id, response.req.method, { status, code: answer.code, bytes: body.length }))
  }

type Options = {
  readonly makeId: () => string
  readonly timing: EndTiming
  /** Called for each that is answered here; null: nothing is logged. */
  readonly accessLog?: AccessLog | null
}

/** Returns the note of the request whose body cannot be read; undefined where the bytes belong to none that has begun. */
const noteAt = (socket: Socket): RequestNote | undefined => {
  const request = lastResponseOf(socket)?.req
  return request === undefined || request.complete ? undefined : noteOf(request)
}

/** Node's `clientError`: there is no reply, only the socket, and a request at most whose body breaks off. */
export const makeBrokenRequestHandler = ({ makeId, timing, accessLog = null }: Options) => {
  const answered = new WeakSet<Socket>()
  const send = (socket: Socket, answer: Answer): void => {
    if (socket.destroyed) return
    const note = noteAt(socket)
    const id = note?.reply.request.id ?? makeId()
    const { code } = answer
    const sent = { status: ERRORS[code].status, code, bytes: formatError(answer).length }
    if (note === undefined) accessLog?.(refusedLine(id, undefined, sent))
    else note.broken = sent
    endGently(socket, timing, messageOf(answer, id))
  }
  return (error: Error & { readonly code?: string }, socket: Socket): void => {
    // Whatever follows bytes that cannot be read cannot be read either.
    if (answered.has(socket) && !isGone(error)) return
    answered.add(socket)
    if (isGone(error) || !socket.writable) {
      socket.destroy()
      return
    }
    const answer = ANSWERS[error.code ?? ''] ?? NOT_HTTP
    endInTurn(socket, { answer: () => send(socket, answer), end: () => endGently(socket, timing) })
  }
}
