// An HTTP proxy that buffers as nginx does by default: a response passes on once so many bytes of it have come, or once it
// has ended. A stream of events stands still in it, without a sign to either side.
import { once } from 'node:events'
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type BufferingProxy = {
  readonly port: number
  /** Passes on at once what it has, and what comes. */
  readonly setBuffering: (isBuffering: boolean) => void
  readonly close: () => Promise<void>
}

/** Lets go of what it holds. */
type Held = () => void

const passOn = (
  answer: IncomingMessage,
  response: ServerResponse,
  bufferBytes: () => number,
  held: Set<Held>,
): void => {
  const pieces: Buffer[] = []
  let size = 0
  const release = (): void => {
    if (!response.headersSent) response.writeHead(answer.statusCode ?? 502, answer.headers)
    for (const piece of pieces.splice(0)) response.write(piece)
    size = 0
  }
  held.add(release)
  answer.on('data', (piece: Buffer) => {
    pieces.push(piece)
    size += piece.length
    if (size >= bufferBytes()) release()
  })
  answer.once('end', () => {
    release()
    response.end()
  })
  answer.once('error', () => response.destroy())
  response.once('close', () => {
    held.delete(release)
    answer.destroy()
  })
}

/** Listens on a free port of the loopback and passes requests on to another. It begins without buffering. */
export const openBufferingProxy = async (to: number, bufferBytes: number): Promise<BufferingProxy> => {
  let isBuffering = false
  const held = new Set<Held>()
  const server = createServer((incoming, response) => {
    const { method, url: path, headers } = incoming
    const outgoing = httpRequest({ host: '127.0.0.1', port: to, method, path, headers, agent: false })
    outgoing.once('response', answer => {
      passOn(answer, response, () => (isBuffering ? bufferBytes : 0), held)
      // Without buffering the head goes ahead of the first byte, as a follower of events expects.
      if (!isBuffering) response.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders()
    })
    outgoing.once('error', () => response.destroy())
    response.once('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    setBuffering: buffering => {
      isBuffering = buffering
      if (!buffering) for (const release of held) release()
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
