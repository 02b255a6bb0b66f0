// The API behind a gateway: answers with what reached it.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

export type Seen = {
  readonly method: string
  readonly url: string
  /** Names and values by turns, as they came. */
  readonly headers: readonly string[]
  readonly trailers: readonly string[]
  readonly body: string
}

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const body = await text(request)
  const { method = '', url = '', rawHeaders: headers, rawTrailers: trailers } = request
  response.setHeader('Content-Type', 'application/json')
  response.end(JSON.stringify({ method, url, headers, trailers, body } satisfies Seen))
}

export const startEcho = async (): Promise<Server> => {
  const server = createServer(
    (request, response) =>
      // A gateway may give a request up in its midst.
      void answer(request, response).catch(() => response.destroy()),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
