// A load balancer on a port of its own: requests go to each of several servers in turn, or to one of them for a while.
import { once } from 'node:events'
import { createServer, request as openRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import type { AddressInfo } from 'node:net'

export type Balancer = {
  readonly port: number
  /** The ports of the servers of the loopback: one gets all requests from then on, several get them in turn. */
  readonly sendTo: (ports: readonly number[]) => void
  readonly close: () => Promise<void>
}

/** What either side breaks off is broken off at the other. */
const ignore = (): void => undefined

const passOn = (port: number, request: IncomingMessage, response: ServerResponse): void => {
  const { method = 'GET', url = '/', headers } = request
  const onward = openRequest({ host: '127.0.0.1', port, method, path: url, headers }, answer => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    // The headers of a stream are there before its first event.
    response.flushHeaders()
    pipeline(answer, response, ignore)
  })
  onward.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
  response.on('close', () => onward.destroy())
  pipeline(request, onward, ignore)
}

export const openBalancer = async (): Promise<Balancer> => {
  let ports: readonly number[] = []
  let turn = 0
  const server = createServer((request, response) => {
    turn += 1
    passOn(ports[turn % ports.length] ?? 0, request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    sendTo: chosen => {
      ports = chosen
    },
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
