// How a server stops listening: a connection that the system has queued would be reset as its socket closes, so it is accepted before.
import type { Server, Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'

/** Has `take` called with each connection before anything else. Returns what passes one on to all that listened for them. */
export const interceptConnections = (server: Server, take: (socket: Socket) => void): ((socket: Socket) => void) => {
  const accept = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', take)
  return socket => {
    for (const one of accept) one.call(server, socket)
  }
}

export type StopTiming = {
  /** Connections that the system has queued are accepted for so long at most. */
  readonly closeAcceptMs: number
  /** Within it: a socket closes once no connection has arrived for so long. */
  readonly closeQuietMs: number
  /** The longest turn of the event loop that counts as having had nothing to do. */
  readonly quietTurnMs: number
}

/** Closes listening sockets, by a function each. */
export type StopListening = (closes: readonly (() => void)[], timing: StopTiming) => Promise<void>

/**
 * For the sockets whose connections the server gets. Connections that arrive while they close are accepted, and wait unread. Nothing
 * is answered meanwhile, so turns of the event loop are short, and callers that wait for an answer open no further connection.
 */
export const makeStopListening = (server: Server): StopListening => {
  const held = new Set<Socket>()
  let isHolding = false
  let arrivedAtMs = 0
  const pass = interceptConnections(server, socket => {
    if (!isHolding) return pass(socket)
    arrivedAtMs = performance.now()
    held.add(socket)
    socket.on('error', () => held.delete(socket))
  })

  /** Waits for a turn without work, and until no caller has connected for a while, or a time. Node accepts one of each socket in a turn. */
  const emptyTurn = async ({ closeQuietMs, quietTurnMs }: StopTiming, untilMs: number): Promise<void> => {
    for (let beganAtMs = performance.now(), now = beganAtMs; now < untilMs; beganAtMs = now) {
      await turn()
      now = performance.now()
      if (now - beganAtMs < quietTurnMs && beganAtMs - arrivedAtMs > closeQuietMs) return
    }
  }

  return async (closes, timing) => {
    isHolding = true
    arrivedAtMs = performance.now()
    const untilMs = arrivedAtMs + timing.closeAcceptMs
    for (const close of closes) {
      await emptyTurn(timing, untilMs)
      close()
    }
    isHolding = false
    for (const socket of held) pass(socket)
    held.clear()
  }
}
