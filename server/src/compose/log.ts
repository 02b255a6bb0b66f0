// The log of a service: JSON lines on standard error, and how it reports errors of background work.
import type { Worker } from 'node:worker_threads'
import type { Logger, LoggerOptions, pino } from 'pino'
import type { ServiceConfig } from '../config/config.ts'
import { type Metrics, NO_METRICS } from '../ports/metrics.ts'
import { printableLines } from '../domain/text/text.ts'
import { eventOf } from '../ports/log-events.ts'
import type { Timing } from '../ports/timing.ts'
import type { BackgroundTask } from '../store/background.ts'

/** Buffered in memory while the log cannot be written; anything beyond is lost. */
const WAITING_BYTES_MAX = 1_048_576

/**
 * A log that cannot be written, as on a full disk, must not end the service: without a listener the error would be thrown
 * at the logging code, and the flush at the end of the process would never return. `nudge` writes an
 * empty piece, of the kind that the destination takes.
 */
export const surviveFaults = (
  destination: Pick<ReturnType<typeof pino.destination>, 'flushSync' | 'on'>,
  nudge: () => void,
): void => {
  const flushSync = destination.flushSync.bind(destination)
  destination.on('error', () => {
    destination.flushSync = () => undefined
  })
  destination.on('write', () => {
    destination.flushSync = flushSync
  })
  // A dropped line triggers another attempt to write the buffer: nothing else would.
  destination.on('drop', nudge)
}

/** Names the event of a line by its message, where the code that logs it does not. */
const nameEvent: NonNullable<LoggerOptions['hooks']>['logMethod'] = function (input, method) {
  const [first, message, ...rest]: readonly unknown[] = input
  if (typeof first === 'string') return method.call(this, { event: eventOf(first) }, first)
  const text = typeof message === 'string' ? message : undefined
  const fields = typeof first === 'object' && first !== null ? first : {}
  method.call(this, { event: eventOf(text), ...fields }, text, ...rest)
}

/**
 * Log lines are JSON on standard error; standard output is for what a command prints. Inside the JSON an escape means the
 * character that it replaces, which would reach a terminal where somebody reads the log.
 */
export const makeLogger = async ({ logLevel }: Pick<ServiceConfig, 'logLevel'>): Promise<Logger> => {
  const { pino: makePino } = await import('pino')
  const destination = makePino.destination({ fd: 2, maxLength: WAITING_BYTES_MAX })
  surviveFaults(destination, () => void destination.write(''))
  return makePino({ level: logLevel, hooks: { streamWrite: printableLines, logMethod: nameEvent } }, destination)
}

/**
 * Work of threads that serve, beside that of the store. `unhandled rejection`: of a promise that nobody awaits and that belongs
 * to no named task.
 */
export const SERVING_TASKS = [
  'access log',
  'export of traces',
  'followers of the revocation feed',
  'scrape',
  'streams of the console',
  'unhandled rejection',
] as const

type FaultyTask = BackgroundTask | (typeof SERVING_TASKS)[number]

export type FaultLog = (task: FaultyTask, fault: unknown) => void

type Report = (fields: object, message: string) => void

type Faults = { count: number; isResting: boolean; unlogged: { readonly fault: unknown } | undefined }

type FaultLogOptions = {
  readonly logger: { readonly error: Report }
  readonly timing: Pick<Timing, 'faultLogMs'>
  readonly metrics?: Metrics
}

/**
 * Counts the errors of each task. The first is logged at once, later ones now and again, each time with the count since
 * the thread started.
 */
export const makeFaultLog = ({ logger, timing, metrics = NO_METRICS }: FaultLogOptions): FaultLog => {
  const tasks = new Map<FaultyTask, Faults>()

  const log = (task: FaultyTask, faults: Faults): void => {
    if (faults.isResting || faults.unlogged === undefined) return
    const { fault: err } = faults.unlogged
    faults.unlogged = undefined
    faults.isResting = true
    setTimeout(() => {
      faults.isResting = false
      log(task, faults)
    }, timing.faultLogMs).unref()
    logger.error({ task, faults: faults.count, err }, 'background work failed and goes on')
  }

  return (task, fault) => {
    const faults = tasks.get(task) ?? { count: 0, isResting: false, unlogged: undefined }
    tasks.set(task, faults)
    faults.count += 1
    metrics.add('mintmark_background_faults_total', { task })
    faults.unlogged = { fault }
    log(task, faults)
  }
}

/** An unhandled rejection ends no thread: the work that it belongs to has ended already. */
export const reportUnhandledRejections = (report: FaultLog): void => {
  process.on('unhandledRejection', fault => report('unhandled rejection', fault))
}

/** Logs what Node would print as text: its warnings, and whatever a thread that is started from now on prints. */
export const logWarnings = (logger: Pick<Logger, 'warn'>): void => {
  process.removeAllListeners('warning')
  process.on('warning', err => logger.warn({ err }, 'a warning of Node'))
  process.on('worker', ({ stderr }: Worker) => {
    // A stream that was unpiped is paused.
    stderr.unpipe(process.stderr).resume()
    stderr.setEncoding('utf8').on('data', (text: string) => logger.warn({ text }, 'a warning of Node'))
  })
}
