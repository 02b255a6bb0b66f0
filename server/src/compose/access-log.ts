// The access log: a line of JSON on standard error for each request, beside the lines of the log. Written a few kB at a time and
// never waited for, so that a flood of requests is no flood of writes.
import type { AccessLine, AccessLog } from '../http/wire/access-log.ts'
import { type FaultLog, surviveFaults } from './log.ts'

/** Buffered in memory of a thread while the log cannot be written; what does not fit is counted and lost. */
const WAITING_BYTES_MAX = 4_194_304
/** What a pipe takes in one piece (PIPE_BUF of Linux): threads share it, and their lines must not mix. */
const WRITTEN_BYTES_MAX = 4096
const WRITTEN_FROM_BYTES = 3584
const FLUSH_EVERY_MS = 500

type RunningAccessLog = {
  /** Null: nobody asked for it. */
  readonly accessLog: AccessLog | null
  /** Writes what waits. */
  readonly close: () => void
}

const OFF: RunningAccessLog = { accessLog: null, close: () => undefined }

/** For the thread that calls it. It has no level: it is on or off. */
export const openAccessLog = async (isOn: boolean, report: FaultLog): Promise<RunningAccessLog> => {
  if (!isOn) return OFF
  const { pino } = await import('pino')
  const destination = pino.destination({
    fd: 2,
    sync: false,
    minLength: WRITTEN_FROM_BYTES,
    maxWrite: WRITTEN_BYTES_MAX,
    maxLength: WAITING_BYTES_MAX,
    periodicFlush: FLUSH_EVERY_MS,
  })
  surviveFaults(destination)
  destination.on('drop', () => report('access log', new Error('A line did not fit into the memory of the access log.')))
  const logger = pino({ level: 'info' }, destination)
  return {
    accessLog: (line: AccessLine) => logger.info(line, 'request'),
    close: () => destination.flushSync(),
  }
}
