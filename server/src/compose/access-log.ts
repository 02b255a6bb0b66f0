// The access log: a line of JSON on standard error for each request, beside the lines of the log. Written some kB at a time and
// never waited for, so that a flood of requests is no flood of writes.
import { once } from 'node:events'
import { fstatSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { AccessLog } from '../http/notes/access-line.ts'
import { eventOf } from '../ports/log-events.ts'
import type { Timing } from '../ports/timing.ts'
import { type Envelope, gatherLines, ROOM_BYTES } from './access-bytes.ts'
import { type LineOutput, makePipeOutput, openPipeAgain } from './access-pipe.ts'
import { type FaultLog, surviveFaults } from './log.ts'

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
