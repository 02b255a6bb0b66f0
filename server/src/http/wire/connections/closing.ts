// How a server ends: each answer says that it is the last of its connection, what was begun is answered, and no connection is
// reset, whichever of the listening sockets accepted it (accepting.ts).
import type { Server } from 'node:http'
import type { Server as Listener, Socket } from 'node:net'
import { makeStopListening, type StopTiming } from '../../../../../packages/gateway/src/process/stop-listening.ts'
import type { Timing } from '../../../ports/timing.ts'
import { type EndTiming, endGently } from './end-gently.ts'
import { type Draining, lastResponseOf } from './pipelining.ts'

export type CloseTiming = EndTiming & StopTiming & Pick<Timing, 'closeIdleMs' | 'closeRequestMs' | 'closeConnectionsMs'>

type Closing = { readonly drain: () => void; readonly beside: Listener[] }

const closings = new WeakMap<Server, Closing>()

/** Makes every further response of the server end its connection. */
export const drain = (server: Server): void => closings.get(server)?.drain()

/** Has a socket whose connections the server gets close with it. */
export const closeBeside = (server: Server, listener: Listener): void =>
  void closings.get(server)?.beside.push(listener)

const isAnswering = (socket: Socket): boolean => lastResponseOf(socket)?.closed === false

/** Has the answer under way, unless its head is out, say that no other comes. */
const announceEnd = (socket: Socket): void => {
  const last = lastResponseOf(socket)
  if (last !== undefined && !last.headersSent) last.shouldKeepAlive = false
}

const LATE = Object.assign(new Error('The server closes.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

/** Watches the connections that speak HTTP, each with the bytes that were read of it when it was last idle. */
const watchSpeaking = (server: Server, timing: CloseTiming, isSecure: boolean) => {
  const speaking = new Map<Socket, number>()
  server.prependListener(isSecure ? 'secureConnection' : 'connection', (socket: Socket) => {
    // Bytes that wait in the stream of a connection that was held do not count: nobody has read them.
    speaking.set(socket, socket.bytesRead - socket.readableLength)
    socket.once('close', () => speaking.delete(socket))
    // Node calls this after the last response, and would close a connection of which not all is read.
    socket.destroySoon = () => endGently(socket, timing)
  })

  const endResting = (): void => {
    for (const [socket, bytesRead] of speaking) {
      if (!isAnswering(socket)) {
        // After further bytes a request is arriving: its answer ends the connection.
        if (socket.bytesRead === bytesRead) endGently(socket, timing)
      } else if (lastResponseOf(socket)?.headersSent === true) {
        lastResponseOf(socket)?.once('close', () => endGently(socket, timing))
      }
    }
  }

  const refuseArriving = (): void => {
    for (const socket of speaking.keys()) {
      const isWhole = isAnswering(socket) && lastResponseOf(socket)?.req.complete === true
      if (socket.writable && !isWhole) server.emit('clientError', LATE, socket)
    }
  }

  const announce = (): void => {
    for (const socket of speaking.keys()) {
      speaking.set(socket, socket.bytesRead)
      announceEnd(socket)
    }
  }
  return { announce, endResting, refuseArriving }
}

/** All connections of a server, those in a TLS handshake too. */
const watchOpen = (server: Server) => {
  const open = new Set<Socket>()
  let onEmpty: (() => void) | undefined
  server.prependListener('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      if (open.size === 0) onEmpty?.()
    })
  })
  const empty = (): Promise<void> =>
    new Promise(resolve => {
      onEmpty = resolve
      if (open.size === 0) resolve()
    })
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  return { empty, cut }
}

type Options = {
  readonly timing: CloseTiming
  readonly isSecure: boolean
  readonly draining: Draining
  /** Called with each connection before anything else; one that is not admitted it has ended. */
  readonly admit: ((socket: Socket) => boolean) | undefined
}

/** Replaces how the server closes, and turns on the draining. */
export const closeInOrder = (server: Server, { timing, isSecure, draining, admit }: Options): void => {
  const { announce, endResting, refuseArriving } = watchSpeaking(server, timing, isSecure)
  const { empty, cut } = watchOpen(server)
  const stopListening = makeStopListening(server, admit)
  const closeNow = server.close.bind(server)
  const beside: Listener[] = []
  const drainNow = (): void => {
    if (draining.isOn) return
    draining.isOn = true
    announce()
  }

  const finish = async (done?: (fault?: Error) => void): Promise<void> => {
    const { promise: fault, resolve: end } = Promise.withResolvers<Error | undefined>()
    const steps = [setTimeout(refuseArriving, timing.closeRequestMs), setTimeout(cut, timing.closeConnectionsMs)]
    await stopListening([...beside.map(one => () => one.close()), () => closeNow(end)], timing)
    steps.push(setTimeout(endResting, timing.closeIdleMs))
    await empty()
    for (const step of steps) clearTimeout(step)
    done?.(await fault)
  }

  closings.set(server, { drain: drainNow, beside })
  // Node would reset those whose next request is on its way.
  server.closeIdleConnections = () => undefined
  server.close = done => {
    drainNow()
    void finish(done)
    return server
  }
}
