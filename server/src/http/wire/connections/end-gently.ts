// Ends a connection so that its caller can read the last answer. Closed at once with bytes unread, a connection is reset, and
// the answer is lost with it (RFC 9112 §9.6).
import type { Socket } from 'node:net'
import type { Timing } from '../../../ports/timing.ts'

/** The most bytes that are read, and dropped, after the last response: many callers read nothing before they have sent all. */
const UNREAD_BYTES_MAX = 67_108_864

export type EndTiming = Pick<Timing, 'lingerMs' | 'requestMs'>

const ending = new WeakSet<Socket>()

/** Takes from Node's parser what comes: it is no request any more. */
const readOn = (socket: Socket, onBytes: (count: number) => void): void => {
  socket.removeAllListeners('data')
  socket.on('data', (bytes: Buffer) => onBytes(bytes.length))
}

/** Sends the message and no more, then reads on until the caller hangs up, is silent, or has sent too much for too long. */
export const endGently = (socket: Socket, { lingerMs, requestMs }: EndTiming, message = ''): void => {
  if (ending.has(socket) || socket.destroyed) return
  ending.add(socket)
  const cut = (): void => void socket.destroy()
  const whole = setTimeout(cut, requestMs).unref()
  let silence: NodeJS.Timeout | undefined
  socket.once('close', () => {
    clearTimeout(whole)
    clearTimeout(silence)
  })
  let left = UNREAD_BYTES_MAX
  const onBytes = (count: number): void => {
    left -= count
    if (left < 0) cut()
    else silence?.refresh()
  }
  socket.end(message, () => {
    if (!socket.destroyed) silence = setTimeout(cut, lingerMs).unref()
  })
  socket.resume()
  // Deferred: Node first resumes reading, which it does only while its parser is attached.
  setImmediate(readOn, socket, onBytes)
}
