// The access log: a line of JSON on standard error for each request, beside the lines of the log. Written a few kB at a time and
// never waited for, so that a flood of requests is no flood of writes.
import { once } from 'node:events'
import { fstatSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { AccessLine, AccessLog } from '../http/notes/access-line.ts'
import { type FaultLog, surviveFaults } from './log.ts'

/** Buffered in memory of a thread while the log cannot be written; what does not fit is counted and lost. */
const WAITING_BYTES_MAX = 4_194_304
/** What a pipe takes in one piece (PIPE_BUF of Linux): threads share it, and their lines must not mix. */
const PIPE_PIECE_BYTES = 4096
/** A file takes any piece whole; a larger one costs less a line. */
const FILE_PIECE_BYTES = 16_384
const STANDARD_ERROR = 2
const FLUSH_EVERY_MS = 500
const CLOSE_MS_MAX = 1000

type RunningAccessLog = {
  /** Null: nobody asked for it. */
  readonly accessLog: AccessLog | null
  /** Writes what waits. */
  readonly close: () => Promise<void>
}

const OFF: RunningAccessLog = { accessLog: null, close: () => Promise.resolve() }

/** Gathers whole lines, all of them ASCII, into pieces of `bytesMax` at most; one line may be longer. */
const inPieces = (bytesMax: number, write: (piece: string) => void) => {
  let waiting = ''
  const flush = (): void => {
    if (waiting === '') return
    const piece = waiting
    waiting = ''
    write(piece)
  }
  return {
    write: (line: string): void => {
      if (waiting.length + line.length > bytesMax) flush()
      waiting += line
    },
    flush,
  }
}

/** For the thread that calls it. It has no level: it is on or off. */
export const openAccessLog = async (isOn: boolean, report: FaultLog): Promise<RunningAccessLog> => {
  if (!isOn) return OFF
  const { pino } = await import('pino')
  const bytesMax = fstatSync(STANDARD_ERROR).isFile() ? FILE_PIECE_BYTES : PIPE_PIECE_BYTES
  const sizes = { maxLength: WAITING_BYTES_MAX, maxWrite: bytesMax }
  const destination = pino.destination({ fd: STANDARD_ERROR, sync: false, ...sizes })
  surviveFaults(destination)
  destination.on('drop', () => report('access log', new Error('Lines did not fit into the memory of the access log.')))
  const lines = inPieces(bytesMax, piece => void destination.write(piece))
  const timer = setInterval(lines.flush, FLUSH_EVERY_MS).unref()
  const logger = pino({ level: 'info', base: { pid: process.pid, hostname: hostname(), event: 'request' } }, lines)
  return {
    accessLog: (line: AccessLine) => logger.info(line, 'request'),
    close: async () => {
      clearInterval(timer)
      lines.flush()
      // A write under way is lost with its thread: waited for, unless nothing can be written.
      const closed = once(destination, 'close').catch(() => undefined)
      destination.end()
      await Promise.race([closed, delay(CLOSE_MS_MAX, undefined, { ref: false })])
    },
  }
}
