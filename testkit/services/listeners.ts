// A listener and a socket beside it, as a process has that accepts connections in numbers.
import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeBeside } from '../../server/src/http/wire/connections/accepting.ts'
import { makeListener } from '../../server/src/http/wire/connections/listener.ts'
import { TIMING, type Timing } from '../../server/src/ports/timing.ts'
import type { makeServerCertificate } from '../commands/serving-tls.ts'
import type { Scope } from '../commands/run-mintmark.ts'

export type Given = { readonly timing?: Partial<Timing>; readonly https?: ReturnType<typeof makeServerCertificate> }

type Place = { readonly port: number; readonly host: string }

type Listening = { readonly server: Server; readonly place: Place; readonly beside: Place }

/** Listens until the test ends; by TLS where there is a certificate. */
export const listenTwice = async (
  t: Scope,
  handle: RequestListener,
  { timing = {}, https }: Given = {},
): Promise<Listening> => {
  const server = makeListener(handle, { https, timing: { ...TIMING, ...timing } })
  const beside = makeBeside(server)
  for (const one of [server, beside]) await once(one.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
    beside.close()
  })
  // They listen on ports.
  const placeOf = (one: typeof server | typeof beside): Place => {
    const { port } = one.address() as AddressInfo
    return { port, host: '127.0.0.1' }
  }
  return { server, place: placeOf(server), beside: placeOf(beside) }
}
