// One HTTP request as any caller may write it, and the answer.
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { connect } from 'node:http2'
import { text } from 'node:stream/consumers'

/** Names and values: a name may stand twice, and is sent as it is spelled. */
export type Lines = readonly [name: string, value: string][]

export type Sent = {
  readonly method?: string
  /** The path as it goes over the wire; that of the address unless given. */
  readonly path?: string
  readonly headers?: Lines
  readonly body?: string
  /** Sent behind the body, which is chunked then. */
  readonly trailers?: Lines
  /** By HTTP/2 without TLS, for a server that expects HTTP/1 (RFC 9113 §3.3). */
  readonly isHttp2?: boolean
}

export type Got = {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

const ANSWER_WITHIN_MS = 30_000
const BODY_BEFORE_TRAILERS = 'x'

/** The body that goes over the wire: trailers need one. */
export const bodyOf = ({ body, trailers }: Sent): string => body ?? (trailers === undefined ? '' : BODY_BEFORE_TRAILERS)

const NOTHING: Got = { status: 0, headers: {}, body: '' }

const linesOf = (url: URL, { headers = [], body, trailers }: Sent): readonly string[] => {
  const lines: [string, string][] = [['Host', url.host], ...headers]
  if (!headers.some(([name]) => name.toLowerCase() === 'connection')) lines.push(['Connection', 'close'])
  if (trailers !== undefined) lines.push(['Transfer-Encoding', 'chunked'])
  if (body !== undefined) lines.push(['Content-Length', String(Buffer.byteLength(body))])
  return lines.flat()
}

const byHttp1 = (url: URL, sent: Sent): Promise<Got> => {
  const request = httpRequest(url, {
    method: sent.method ?? 'GET',
    path: sent.path ?? url.pathname + url.search,
    headers: linesOf(url, sent),
    agent: false,
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  })
  const got = new Promise<Got>((resolve, reject) => {
    request.once('upgrade', ({ statusCode = 0, headers }, socket) => {
      socket.destroy()
      resolve({ status: statusCode, headers, body: '' })
    })
    request.once('response', response => void answerOf(response).then(resolve, reject))
    request.once('error', reject)
  })
  if (sent.trailers !== undefined) request.addTrailers(sent.trailers)
  request.end(bodyOf(sent))
  return got.finally(() => request.destroy())
}

const answerOf = async (response: IncomingMessage): Promise<Got> => {
  const { statusCode = 0, headers } = response
  // Some servers keep a stream open behind a good answer: only what is JSON is read.
  const isRead = (headers['content-type'] ?? '').startsWith('application/json')
  return { status: statusCode, headers, body: isRead ? await text(response) : '' }
}

const byHttp2 = (url: URL, { method = 'GET', headers = [], trailers = [] }: Sent): Promise<Got> => {
  const session = connect(url)
  const got = new Promise<Got>((resolve, reject) => {
    session.once('error', reject)
    const sent = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]))
    const options = { waitForTrailers: true, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }
    const stream = session.request({ ':method': method, ':path': url.pathname, ...sent }, options)
    stream.once('wantTrailers', () => stream.sendTrailers(Object.fromEntries(trailers)))
    stream.once('error', reject)
    stream.once('close', () => resolve(NOTHING))
    stream.once('response', ({ ':status': status = 0, ...answered }) => {
      void text(stream).then(body => resolve({ status, headers: answered, body }), reject)
    })
    stream.end(BODY_BEFORE_TRAILERS)
  })
  return got.finally(() => session.destroy())
}

/** Resolves with the status 0 where the connection ends without an answer, and rejects where it stays open without one. */
export const exchange = (address: string, sent: Sent): Promise<Got> => {
  const url = new URL(address)
  return (sent.isHttp2 === true ? byHttp2(url, sent) : byHttp1(url, sent)).catch((fault: Error) => {
    if (fault.name === 'AbortError') throw new Error(`no answer within ${ANSWER_WITHIN_MS} ms`)
    return NOTHING
  })
}
