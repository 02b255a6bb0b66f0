// Writes the access log to a pipe from the thread whose requests it is about. A write of another thread costs twenty times what
// the bytes of its lines do; a description of the pipe of our own, opened so that no write waits, needs none.
import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Timing } from '../ports/timing.ts'

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

type PipeOptions = {
  /** The most bytes that wait. */
  readonly bytesMax: number
  /** Called for each piece that is dropped beyond that. */
  readonly onLost: () => void
  readonly timing: Pick<Timing, 'fullPipeMs' | 'brokenPipeMs' | 'accessLogCloseMs'>
}

/** `pipe`: see openPipeAgain. A piece of at most PIPE_BUF bytes is taken whole or not at all. */
export const makePipeOutput = (pipe: number, { bytesMax, onLost, timing }: PipeOptions): LineOutput => {
  const { fullPipeMs, brokenPipeMs, accessLogCloseMs } = timing
  let waiting: Buffer[] = []
  let waitingBytes = 0
  let timer: NodeJS.Timeout | undefined

  /** What the pipe did not take, and when to try that again. */
  const tryWrite = (piece: Buffer): readonly [rest: Buffer, againMs: number] => {
    try {
      return [piece.subarray(writeSync(pipe, piece)), fullPipeMs]
    } catch (fault) {
      return [piece, isFull(fault) ? fullPipeMs : brokenPipeMs]
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
    const [rest, againMs] = waiting.length === 0 ? tryWrite(piece) : [piece, fullPipeMs]
    if (rest.length === 0) return
    if (waitingBytes + rest.length > bytesMax) return onLost()
    waiting.push(rest)
    waitingBytes += rest.length
    timer ??= setTimeout(proceed, againMs).unref()
  }

  return {
    write,
    close: async () => {
      const until = performance.now() + accessLogCloseMs
      while (waiting.length > 0 && performance.now() < until) await delay(fullPipeMs)
      clearTimeout(timer)
      closeSync(pipe)
    },
  }
}
