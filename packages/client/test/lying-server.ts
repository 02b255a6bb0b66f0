// A server that answers as a test says: hanging, cut, endless, or with lies.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type Received = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly form: URLSearchParams
  readonly body: string
}

type Handler = (received: Received, response: ServerResponse) => unknown

export type LyingServer = {
  readonly url: string
  readonly received: readonly Received[]
  readonly answerWith: (handler: Handler) => void
  readonly close: () => Promise<void>
}

export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Handler =>
  (_, response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body))

let tokens = 0

/** A good answer of a token endpoint, with another token each time. */
export const goodToken =
  (more: object = {}): Handler =>
  (received, response) => {
    tokens += 1
    const body = { access_token: `token.number.${tokens}`, token_type: 'Bearer', expires_in: 300, scope: 'db:read' }
    return json(200, { ...body, ...more })(received, response)
  }

const receive = async (request: IncomingMessage): Promise<Received> => {
  const body = await text(request)
  const headers = request.headers as Received['headers']
  return { method: request.method ?? '', path: request.url ?? '', headers, form: new URLSearchParams(body), body }
}

export const startLyingServer = async (first: Handler): Promise<LyingServer> => {
  let handler = first
  const received: Received[] = []
  const server = createServer((request, response) => {
    void receive(request).then(one => {
      received.push(one)
      return handler(one, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answerWith: next => {
      handler = next
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
