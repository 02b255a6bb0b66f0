// One keep-alive connection over a raw socket, a request at a time: a client that costs next to nothing.
import { once } from 'node:events'
import { connect } from 'node:net'

export type Answer = {
  readonly status: number
  /** The status line and the headers. */
  readonly head: string
  readonly body: string
}

export type Connection = {
  /** Sends one request, whole as it goes over the wire; the next one after its answer. */
  readonly ask: (request: string, answered: (answer: Answer) => void) => void
  readonly close: () => void
}

const HEAD_END = '\r\n\r\n'
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i

/** The answer at the beginning of the text; undefined while some of it is missing. */
const readAnswer = (text: string): Answer | undefined => {
  const headEnd = text.indexOf(HEAD_END)
  if (headEnd < 0) return undefined
  const head = text.slice(0, headEnd)
  const length = CONTENT_LENGTH.exec(head)?.[1]
  if (length === undefined) throw new Error(`An answer has no Content-Length:\n${head}`)
  const from = headEnd + HEAD_END.length
  const to = from + Number(length)
  if (text.length > to) throw new Error('A server sent more than one answer to one request.')
  return text.length < to ? undefined : { status: Number(head.slice(9, 12)), head, body: text.slice(from, to) }
}

/** `failed` hears why, once, where the connection ends before close(). */
export const openConnection = async (port: number, failed: (reason: Error) => void): Promise<Connection> => {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  await once(socket, 'connect')
  let received = ''
  let waiting: ((answer: Answer) => void) | undefined
  let closed = false
  const fail = (reason: unknown): void => {
    if (closed) return
    closed = true
    socket.destroy()
    failed(reason instanceof Error ? reason : new Error(String(reason)))
  }
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
    try {
      const answer = readAnswer(received)
      if (answer === undefined) return
      received = ''
      waiting?.(answer)
    } catch (error) {
      fail(error)
    }
  })
  socket.on('error', fail)
  socket.on('close', () => fail('A server closed a connection.'))
  return {
    ask: (request, answered) => {
      waiting = answered
      socket.write(request, 'latin1')
    },
    close: () => {
      closed = true
      socket.destroy()
    },
  }
}

/** A connection for one request after another, where the answer is waited for. */
export type Asker = { readonly ask: (request: string) => Promise<Answer>; readonly close: () => void }

export const openAsker = async (port: number): Promise<Asker> => {
  const failure = Promise.withResolvers<never>()
  // It may fail while nothing is asked.
  failure.promise.catch(() => undefined)
  const connection = await openConnection(port, failure.reject)
  const ask = (request: string): Promise<Answer> =>
    Promise.race([new Promise<Answer>(resolve => connection.ask(request, resolve)), failure.promise])
  return { ask, close: connection.close }
}

/** One request on a connection of its own. */
export const askOnce = async (port: number, request: string): Promise<Answer> => {
  const asker = await openAsker(port)
  try {
    return await asker.ask(request)
  } finally {
    asker.close()
  }
}

/** A form as a POST, with these header lines beside the usual ones. */
export const formRequest = (path: string, body: string, headers: readonly string[] = []): string =>
  [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    'content-type: application/x-www-form-urlencoded',
    ...headers,
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n')

export const getRequest = (path: string, headers: readonly string[] = []): string =>
  [`GET ${path} HTTP/1.1`, 'host: 127.0.0.1', ...headers, '', ''].join('\r\n')
