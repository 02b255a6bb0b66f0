// Callers who hang up at once: each sends a whole request on a connection of its own and resets it (SO_LINGER 0), so that
// the service finds a request whose connection has no address any more.
import { once } from 'node:events'
import { connect } from 'node:net'

const AT_ONCE = 50

const tokenRequest = (port: number, clientId: string): string => {
  const form = `grant_type=client_credentials&client_id=${clientId}&client_secret=wrong`
  const type = 'content-type: application/x-www-form-urlencoded'
  return `POST /oauth/token HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${type}\r\ncontent-length: ${form.length}\r\n\r\n${form}`
}

const sendAndReset = async (port: number, request: string): Promise<void> => {
  const socket = connect(port, '127.0.0.1')
  // Whatever the service does with the connection meanwhile.
  socket.on('error', () => undefined)
  const closed = once(socket, 'close')
  socket.once('connect', () => void socket.write(request, () => socket.resetAndDestroy()))
  await closed
}

/** Asks so many times for a token with a wrong secret, and hears no answer. */
export const askAndReset = async (port: number, count: number, clientId = 'nobody'): Promise<void> => {
  const request = tokenRequest(port, clientId)
  for (let sent = 0; sent < count; sent += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => sendAndReset(port, request)))
  }
}
