// Callers who hang up at once: each sends a whole request on a connection of its own and resets it (SO_LINGER 0), so that
// the service finds a request whose connection has no address any more.
import { once } from 'node:events'
import { connect } from 'node:net'

const AT_ONCE = 50

type ResetRequest = {
  readonly path: string
  readonly type: string
  readonly headers?: Readonly<Record<string, string>>
  /** Returns the body by the number of the request, from 0. */
  readonly bodyOf: (n: number) => string
}

const textOf = ({ path, type, headers, bodyOf }: ResetRequest, port: number, n: number): string => {
  const body = bodyOf(n)
  const fields = { host: `127.0.0.1:${port}`, 'content-type': type, 'content-length': body.length, ...headers }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

const sendAndReset = async (port: number, text: string): Promise<void> => {
  const socket = connect(port, '127.0.0.1')
  // Whatever the service does with the connection meanwhile.
  socket.on('error', () => undefined)
  const closed = once(socket, 'close')
  socket.once('connect', () => void socket.write(text, () => socket.resetAndDestroy()))
  await closed
}

/** Sends so many of them, and hears no answer. */
export const sendManyAndReset = async (port: number, count: number, request: ResetRequest): Promise<void> => {
  for (let sent = 0; sent < count; sent += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => sendAndReset(port, textOf(request, port, sent + n))))
  }
}

/** Asks so many times for a token with a wrong secret. */
export const askAndReset = (port: number, count: number, clientId = 'nobody'): Promise<void> =>
  sendManyAndReset(port, count, {
    path: '/oauth/token',
    type: 'application/x-www-form-urlencoded',
    bodyOf: () => `grant_type=client_credentials&client_id=${clientId}&client_secret=wrong`,
  })
