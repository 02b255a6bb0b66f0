// The access log: a line of JSON on standard error for each request, beside the lines of the log. Written some kB at a time and
// never waited for, so that a flood of requests is no flood of writes.
import { once } from 'node:events'
import { fstatSync, closeSync, constants, openSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { AccessLog } from '../http/notes/access-line.ts'
import { eventOf } from '../ports/log-events.ts'
import type { Timing } from '../ports/timing.ts'
import { type Envelope, gatherLines, ROOM_BYTES } from './access-bytes.ts'
import { type FaultLog, surviveFaults } from './log.ts'

// Writes the access log to a pipe from the thread whose requests it is about. A write of another thread costs twenty times what
// the bytes of its lines do; a description of the pipe of our own, opened so that no write waits, needs none.

type LineOutput = {
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

/** Buffered in memory of a thread while the log cannot be written; what does not fit is counted and lost. */
const WAITING_BYTES_MAX = 4_194_304
/** What a pipe takes in one piece (PIPE_BUF of Linux): threads share it, and their lines must not mix. */
const PIPE_PIECE_BYTES = 4096
const STANDARD_ERROR = 2
/** The number of the level that ports/log-events.ts has for these lines. */
const INFO = 30
const MESSAGE = 'request'

type RunningAccessLog = {
  /** Null where the access log is off. */
  readonly accessLog: AccessLog | null
  /** Writes what waits. */
  readonly close: () => Promise<void>
}

const OFF: RunningAccessLog = { accessLog: null, close: () => Promise.resolve() }

/** Characters beyond ASCII as escapes of JSON. */
const asciiOf = (json: string): string =>
  json.replaceAll(/[^\x20-\x7E]/g, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** What pino would write around the members of a line, in three parts: the time stands between the first two. */
const makeEnvelope = (): Envelope => {
  const base = asciiOf(JSON.stringify({ pid: process.pid, hostname: hostname(), event: eventOf(MESSAGE) }).slice(1, -1))
  return { beforeTime: `{"level":${INFO},"time":`, afterTime: `,${base},`, end: `,"msg":"${MESSAGE}"}\n` }
}

type OutputTiming = Pick<Timing, 'accessLogFlushMs' | 'accessLogCloseMs' | 'fullPipeMs' | 'brokenPipeMs'>

/** Opens an output on threads of libuv: a write to a disk may take long. */
const openThreadedOutput = async (
  pieceBytes: number,
  onLost: () => void,
  { accessLogCloseMs }: Pick<Timing, 'accessLogCloseMs'>,
): Promise<LineOutput> => {
  const { pino } = await import('pino')
  const sizes = { maxLength: WAITING_BYTES_MAX, maxWrite: pieceBytes }
  // Of a text it would make bytes three times.
  const destination = pino.destination({ fd: STANDARD_ERROR, sync: false, contentMode: 'buffer', ...sizes })
  // Its types know only texts, whatever `contentMode` says.
  const write: (bytes: Buffer) => void = destination.write.bind(destination) as (bytes: unknown) => boolean
  surviveFaults(destination, () => write(Buffer.alloc(0)))
  destination.on('drop', onLost)
  return {
    write,
    close: async () => {
      // A write under way is lost with its thread: waited for, unless nothing can be written.
      const closed = once(destination, 'close').catch(() => undefined)
      destination.end()
      await Promise.race([closed, delay(accessLogCloseMs, undefined, { ref: false })])
    },
  }
}

/** Opens the access log of the calling thread. It has no level: it is on or off. */
export const openAccessLog = async (
  isOn: boolean,
  report: FaultLog,
  timing: OutputTiming,
): Promise<RunningAccessLog> => {
  if (!isOn) return OFF
  // A file takes any piece whole; a larger one costs less a line.
  const pieceBytes = fstatSync(STANDARD_ERROR).isFile() ? ROOM_BYTES : PIPE_PIECE_BYTES
  const onLost = () => report('access log', new Error('Lines did not fit into the memory of the access log.'))
  const pipe = openPipeAgain(STANDARD_ERROR)
  const output =
    pipe === undefined
      ? await openThreadedOutput(pieceBytes, onLost, timing)
      : makePipeOutput(pipe, { bytesMax: WAITING_BYTES_MAX, onLost, timing })
  const lines = gatherLines(makeEnvelope(), pieceBytes, output.write)
  const timer = setInterval(lines.flush, timing.accessLogFlushMs).unref()
  return {
    accessLog: line => lines.add(line, Date.now()),
    close: async () => {
      clearInterval(timer)
      lines.flush()
      await output.close()
    },
  }
}
