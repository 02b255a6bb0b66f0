// Answers scrapes at GET /metrics, on a listener of its own. A scraper that is slow, rude or many hurts neither the service nor
// another scraper: what a scrape reads is shared by all that ask within half a second, a connection serves one request, and
// of too many connections the oldest is closed, since a good scraper needs its own for a few milliseconds.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Timing } from '../ports/timing.ts'

const CONNECTIONS_MAX = 64
const HEADER_BYTES_MAX = 8192

type Exposition = { readonly contentType: string; readonly body: Buffer }

export type MetricsServerOptions = {
  readonly host: string
  readonly port: number
  /** The exposition that suits a scraper with this Accept header. */
  readonly expose: (accept: string | undefined) => Promise<Exposition>
  readonly onFault: (fault: unknown) => void
  readonly timing: Pick<Timing, 'scrapeRequestMs' | 'scrapeConnectionMs' | 'connectionCheckMs'>
}

export type MetricsServer = { readonly port: number; readonly close: () => Promise<void> }

/** Makes what `make` makes at most once in `scrapeFreshMs` for each key, however many ask. */
export const makeFresh = <Key, Value>(
  make: (key: Key) => Promise<Value>,
  { scrapeFreshMs }: Pick<Timing, 'scrapeFreshMs'>,
  now: () => number = () => performance.now(),
): ((key: Key) => Promise<Value>) => {
  const made = new Map<Key, { readonly at: number; readonly value: Promise<Value> }>()
  return key => {
    const known = made.get(key)
    if (known !== undefined && now() - known.at < scrapeFreshMs) return known.value
    const value = make(key)
    made.set(key, { at: now(), value })
    // The next to ask tries again.
    value.catch(() => made.delete(key))
    return value
  }
}

const end = (
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): void => {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close', ...headers })
  response.end(body)
}

const makeAnswer =
  ({ expose, onFault }: MetricsServerOptions) =>
  async ({ url = '', method, headers }: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (url !== '/metrics' && !url.startsWith('/metrics?')) return end(response, 404, {}, 'See /metrics.\n')
    if (method !== 'GET') return end(response, 405, { allow: 'GET' }, 'GET /metrics.\n')
    try {
      const { contentType, body } = await expose(headers.accept)
      response.writeHead(200, {
        'content-type': contentType,
        'content-length': body.length,
        'cache-control': 'no-store',
        connection: 'close',
      })
      response.end(body)
    } catch (fault) {
      onFault(fault)
      if (!response.headersSent)
        end(response, 500, {}, 'The metrics could not be read. The log of the service has the reason.\n')
    }
  }

/** Keeps the newest connections, none of them for long. */
const boundConnections = (connectionMs: number) => {
  const open = new Set<Socket>()
  return (socket: Socket): void => {
    const timer = setTimeout(() => socket.destroy(), connectionMs).unref()
    open.add(socket)
    socket.once('close', () => {
      clearTimeout(timer)
      open.delete(socket)
    })
    const [oldest] = open
    if (open.size > CONNECTIONS_MAX) oldest?.destroy()
  }
}

/** Listens. Throws the error of the system where it cannot. */
export const startMetricsServer = async (options: MetricsServerOptions): Promise<MetricsServer> => {
  const answer = makeAnswer(options)
  const { scrapeRequestMs, scrapeConnectionMs, connectionCheckMs } = options.timing
  const bounds = {
    insecureHTTPParser: false,
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: scrapeRequestMs,
    requestTimeout: scrapeRequestMs,
    connectionsCheckingInterval: connectionCheckMs,
    requireHostHeader: false,
  }
  const server = createServer(bounds, (request, response) => void answer(request, response))
  server.maxRequestsPerSocket = 1
  server.setTimeout(scrapeRequestMs)
  server.on('connection', boundConnections(scrapeConnectionMs))
  // No thread ends for a socket that cannot be accepted, as where files run out.
  server.listen({ host: options.host, port: options.port })
  await once(server, 'listening')
  server.on('error', options.onFault)
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
