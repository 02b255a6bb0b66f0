// A flood of one kind of request from one address: many connections at once, each with several requests one after another.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { encodeJson } from '../keys/dpop.ts'

/** The number of connections: more than wait for their turn in one thread. */
const CONNECTIONS = 400
const REQUESTS_EACH = 2

type FloodOptions = {
  readonly port: number
  readonly path: string
  readonly from: string
  /** The number of connections: a service of several threads needs more than one of a single thread. */
  readonly connections?: number
  /** The next request's headers and body. */
  readonly next: () => { readonly headers: Readonly<Record<string, string>>; readonly body: string }
}

const requestOf = ({ path, next }: FloodOptions, connection: 'keep-alive' | 'close'): string => {
  const { headers, body } = next()
  const lines = Object.entries({ host: 'x', connection, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}content-length: ${body.length}\r\n\r\n${body}`
}

export type Flood = {
  readonly requests: number
  /** The heads of all answers, once every request has one. */
  readonly heads: Promise<readonly string[]>
}

/** Begins when every connection is there, so that the requests arrive together. */
export const startFlood = async (options: FloodOptions): Promise<Flood> => {
  const { connections = CONNECTIONS } = options
  const sockets = Array.from({ length: connections }, () =>
    connect({ host: '127.0.0.1', port: options.port, localAddress: options.from }),
  )
  await Promise.all(sockets.map(socket => once(socket, 'connect')))
  const answers = sockets.map(socket => {
    const requests = Array.from({ length: REQUESTS_EACH - 1 }, () => requestOf(options, 'keep-alive'))
    socket.write([...requests, requestOf(options, 'close')].join(''))
    return text(socket)
  })
  const headsOf = (all: readonly string[]): readonly string[] =>
    all.flatMap(answer => answer.match(/HTTP\/1\.1 \d{3} [\s\S]*?\r\n\r\n/g) ?? [])
  return { requests: connections * REQUESTS_EACH, heads: Promise.all(answers).then(headsOf) }
}

/** Returns JWTs like this one with a signature of nobody: all that costs nothing to check is in order. */
export const forgerOf = (jwt: string, header?: () => object): (() => string) => {
  const [head = '', payload = '', signature = ''] = jwt.split('.')
  const bytes = Buffer.from(signature, 'base64url').length
  return () => {
    const forgedHead = header === undefined ? head : encodeJson(header())
    return `${forgedHead}.${payload}.${randomBytes(bytes).toString('base64url')}`
  }
}
