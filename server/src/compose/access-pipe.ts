// Writes the access log to a pipe from the thread whose requests it is about. A write of another thread costs twenty times what
// the bytes of its lines do; a description of the pipe of our own, opened so that no write waits, needs none.
import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** How soon what a full pipe did not take is tried again. */
const FULL_MS = 5
/** The same for a pipe that nobody reads any more. */
const BROKEN_MS = 500
/** For what waits at a shutdown. */
export const CLOSE_MS_MAX = 1000

export type LineOutput = {
  /** Never waits and never throws. */
  readonly write: (piece: Buffer) => void
  /** Ends once all is written, or cannot be. */
  readonly close: () => Promise<void>
}

/**
 * A descriptor of the pipe that `descriptor` leads to. Undefined where it is no pipe, where the system has no such way, and
 * where the pipe is of a user whose pipes we may not open.
 */
export const openPipeAgain = (descriptor: number): number | undefined => {
  if (process.platform !== 'linux' || !fstatSync(descriptor).isFIFO()) return undefined
  try {
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
}

const isFull = (fault: unknown): boolean => fault instanceof Error && 'code' in fault && fault.code === 'EAGAIN'

/** `pipe`: see openPipeAgain. A piece of at most PIPE_BUF bytes is taken whole or not at all. At most `bytesMax` bytes wait. */
export const makePipeOutput = (pipe: number, bytesMax: number, onLost: () => void): LineOutput => {
  let waiting: Buffer[] = []
  let waitingBytes = 0
  let timer: NodeJS.Timeout | undefined

  /** What the pipe did not take, and when to try that again. */
  const tryWrite = (piece: Buffer): readonly [rest: Buffer, againMs: number] => {
    try {
      return [piece.subarray(writeSync(pipe, piece)), FULL_MS]
    } catch (fault) {
      return [piece, isFull(fault) ? FULL_MS : BROKEN_MS]
    }
  }

  const proceed = (): void => {
    timer = undefined
    for (const [n, piece] of waiting.entries()) {
      const [rest, againMs] = tryWrite(piece)
      waitingBytes -= piece.length - rest.length
      if (rest.length === 0) continue
      waiting = [rest, ...waiting.slice(n + 1)]
      timer = setTimeout(proceed, againMs).unref()
      return
    }
    waiting = []
  }

  const write = (piece: Buffer): void => {
    const [rest, againMs] = waiting.length === 0 ? tryWrite(piece) : [piece, FULL_MS]
    if (rest.length === 0) return
    if (waitingBytes + rest.length > bytesMax) return onLost()
    waiting.push(rest)
    waitingBytes += rest.length
    timer ??= setTimeout(proceed, againMs).unref()
  }

  return {
    write,
    close: async () => {
      const until = performance.now() + CLOSE_MS_MAX
      while (waiting.length > 0 && performance.now() < until) await delay(FULL_MS)
      clearTimeout(timer)
      closeSync(pipe)
    },
  }
}
