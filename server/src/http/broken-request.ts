// Answers what Node could not read as HTTP at all: bad syntax, headers that are too large or too slow.
import type { Socket } from 'node:net'
import { errorBody } from './refusals.ts'

const BODY = errorBody(
  { code: 'invalid_request', description: 'The request is not HTTP that this service can read.' },
  false,
)

/** Node's `clientError`: there is no request and no reply, only the socket. */
export const makeBrokenRequestHandler =
  (makeId: () => string) =>
  (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const head = [
      'HTTP/1.1 400 Bad Request',
      'content-type: application/json; charset=utf-8',
      `content-length: ${BODY.length}`,
      'cache-control: no-store',
      'pragma: no-cache',
      `x-request-id: ${makeId()}`,
      'connection: close',
    ]
    socket.end(`${head.join('\r\n')}\r\n\r\n${BODY}`)
  }
