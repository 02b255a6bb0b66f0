// Serves something in addition to the service, on loopback only, with the same connection limits.
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { makeBrokenRequestHandler } from '../http/wire/connections/broken-request.ts'
import { BACKLOG } from '../http/wire/connections/accepting.ts'
import { makeListener } from '../http/wire/connections/listener.ts'
import { randomness } from '../keys/clients/secrets.ts'
import { refuseListening } from '../config/start-refused.ts'
import type { Timing } from '../ports/timing.ts'

export type LocalServer = { readonly close: () => Promise<void> }

/** The address to listen on, and the variable that sets it. */
type Place = Parameters<typeof refuseListening>[1]

/** Listens, or throws a StartRefused. */
export const serveLocally = async (answer: RequestListener, place: Place, timing: Timing): Promise<LocalServer> => {
  const server = makeListener(answer, { timing })
  server.on('clientError', makeBrokenRequestHandler({ makeId: () => randomness.uuid(), timing }))
  try {
    server.listen({ host: place.host, port: place.port, backlog: BACKLOG })
    await once(server, 'listening')
  } catch (error) {
    throw refuseListening(error, place)
  }
  const close = async (): Promise<void> => {
    server.close()
    server.closeAllConnections()
    if (server.listening) await once(server, 'close')
  }
  return { close }
}
