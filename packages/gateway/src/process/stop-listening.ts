// How a server stops listening: a connection that the system has queued would be reset as its socket closes, so it is accepted before.
import type { Server, Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'

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
 * For the sockets whose connections the server gets. Connections that arrive while they close are accepted, and wait unanswered. So
 * turns of the event loop are short, and callers that wait for an answer open no further connection. What `admit` refuses, it ends.
 */
export const makeStopListening = (server: Server, admit: (socket: Socket) => boolean = () => true): StopListening => {
  const accept = server.listeners('connection')
  const held = new Set<Socket>()
  let isHolding = false
  let arrivedAtMs = 0
  const pass = (socket: Socket): void => {
    for (const one of accept) one.call(server, socket)
  }
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    arrivedAtMs = performance.now()
    if (!admit(socket)) return
    if (!isHolding) return pass(socket)
    held.add(socket)
    // A TLS server closes it at its caller's end, without an error.
    socket.on('error', () => undefined).once('close', () => held.delete(socket))
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
    for (const socket of held) if (!socket.destroyed) pass(socket)
    held.clear()
  }
}
