// One HTTP/1.1 connection with one request in flight: the least that a load generator needs, and nothing hidden.
import { once } from 'node:events'
import { connect } from 'node:net'

/** The connection could not be made, or ended before the answer was whole: the outcome is unknown. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}

export type Answer = { readonly status: number; readonly body: string }

export type Connection = {
  /** Rejects with ConnectionLost. */
  readonly exchange: (request: string) => Promise<Answer>
  readonly hasEnded: () => boolean
  readonly close: () => void
}

type Waiting = { readonly resolve: (answer: Answer) => void; readonly reject: (fault: Error) => void }

const HEAD_END = '\r\n\r\n'
const ANSWER_MS_MAX = 30_000

// The service always sends Content-Length; without one the answer would never be whole, and the exchange times out.
const readAnswer = (received: string): Answer | undefined => {
  const headEnd = received.indexOf(HEAD_END)
  if (headEnd < 0) return undefined
  const head = received.slice(0, headEnd)
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1])
  const body = received.slice(headEnd + HEAD_END.length)
  return body.length === length ? { status: Number(head.slice(9, 12)), body } : undefined
}

/** An exchange that takes longer than `answerMsMax` ends the connection. */
export const openConnection = async (port: number, answerMsMax = ANSWER_MS_MAX): Promise<Connection> => {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  // Also while it connects: a service with a full backlog takes no connection and refuses none.
  socket.setTimeout(answerMsMax, () => socket.destroy(new ConnectionLost('No answer came in time.')))
  await once(socket, 'connect').catch((fault: unknown) => {
    throw new ConnectionLost('The connection could not be made.', { cause: fault })
  })
  // One character a byte, so that Content-Length counts characters. All that is compared is ASCII.
  socket.setEncoding('latin1')
  let waiting: Waiting | undefined
  let received = ''
  let ended = false
  const end = (fault: Error): void => {
    ended = true
    waiting?.reject(fault)
    waiting = undefined
  }
  const lost = new ConnectionLost('The connection ended before the answer.')
  socket.on('error', fault => end(fault instanceof ConnectionLost ? fault : lost))
  socket.on('close', () => end(lost))
  socket.on('data', (text: string) => {
    received += text
    const answer = readAnswer(received)
    if (answer === undefined) return
    received = ''
    waiting?.resolve(answer)
    waiting = undefined
  })
  return {
    exchange: request =>
      new Promise((resolve, reject) => {
        if (ended) return reject(new ConnectionLost('The connection has ended.'))
        waiting = { resolve, reject }
        socket.write(request, 'latin1')
      }),
    hasEnded: () => ended,
    close: () => void socket.destroy(),
  }
}
