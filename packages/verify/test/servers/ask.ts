// A request whose headers are sent as they are written, and its answer.
import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'

export type Answered = {
  readonly status: number | undefined
  readonly headers: IncomingMessage['headers']
  /** The names of all header lines, in small letters and order. */
  readonly names: readonly string[]
  readonly body: string
}

type Sent = { readonly method?: string; readonly body?: string; readonly headers?: readonly string[] }

/** `headers` are names and values by turns. The target is sent as it is written. */
export const ask = async (origin: string, path: string, { method = 'GET', body, headers = [] }: Sent = {}) => {
  const { hostname, port } = new URL(origin)
  const lines = ['Host', 'gateway', ...headers]
  const request = httpRequest({ hostname, port, path, method, headers: lines, agent: false })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const names = response.rawHeaders.filter((_, n) => n % 2 === 0).map(name => name.toLowerCase())
  const answered: Answered = {
    status: response.statusCode,
    headers: response.headers,
    names,
    body: await text(response),
  }
  return answered
}

export const statusOf = async (answered: Promise<Answered>): Promise<number | undefined> => (await answered).status
