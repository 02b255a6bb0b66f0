// What the writing thread does: it commits what has arrived as one group, and does the maintenance in between.
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { Seal } from '../../../domain/audit/seal.ts'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import { countEndings } from '../../transaction.ts'
import type { BackgroundTask } from '../../background.ts'
import { openThreadMetrics } from '../../../metrics/watch-thread.ts'
import { monotonicMs, sleep } from '../../clocks.ts'
import { clockOf, steadyOf } from '../connection/clock.ts'
import { openForWriting } from '../connection/connection.ts'
import { guardFiles } from '../connection/serving-lock.ts'
import { groupCommit, reportedFault, makePauseTimer, makeWriterQueue } from './writer-queue.ts'
import { type WritingConnection, writingConnection } from '../connection/transaction.ts'
import { startMaintenance } from './maintenance.ts'
import type { JobMessage, WriterControl, WriterOptions, WriterReport } from './writer-messages.ts'

/** Makes gaps in the work: another process (the CLI) must find the lock free now and then, however busy the service is. */
const makeGaps = ({ writerStretchMs, writerGapMs, writerIdleMs }: WriterOptions['timing']) => {
  let stretchBegan = monotonicMs()
  let lastWorked = stretchBegan
  return {
    leave: (): void => {
      const now = monotonicMs()
      if (now - lastWorked > writerIdleMs) stretchBegan = now
      else if (now - stretchBegan > writerStretchMs) {
        sleep(writerGapMs)
        stretchBegan = monotonicMs()
      }
      lastWorked = now
    },
    noteWork: (now: MonotonicMilliseconds): void => {
      lastWorked = now
    },
  }
}

type Jobs = ReturnType<ReturnType<typeof makeWriterQueue>['take']>

const makeMeasures = (metrics: Metrics) => {
  const observeCommit = metrics.histogram('mintmark_commit_seconds', {})
  const observeJobs = metrics.histogram('mintmark_commit_jobs', {})
  const observeWait = metrics.histogram('mintmark_write_wait_seconds', {})
  return {
    queued: metrics.gauge('mintmark_write_queue_jobs', {}),
    sync: metrics.histogram('mintmark_commit_sync_seconds', {}),
    /** Records a group, and the time from its start to its end. */
    group: (jobs: Jobs, began: MonotonicMilliseconds, ended: MonotonicMilliseconds): void => {
      observeCommit((ended - began) / 1000)
      observeJobs(jobs.length)
      for (const { message } of jobs) observeWait((began - message.sentAt) / 1000)
    },
  }
}

// A probe of health or an act of an operator is no traffic that the maintenance must make room for.
const TRAFFIC: ReadonlySet<string> = new Set(['insertTokens', 'useAssertion', 'endToken', 'renewLease'])

/** Takes one message from each port in turn, so that no thread waits behind another's queue. */
const receiveAll = (ports: ReadonlySet<MessagePort>, queue: ReturnType<typeof makeWriterQueue>): void => {
  for (let found = true; found; ) {
    found = false
    for (const from of ports) {
      const received: { message: JobMessage } | undefined = receiveMessageOnPort(from)
      if (received === undefined) continue
      found = true
      queue.put({ message: received.message, from })
    }
  }
}

type GroupOptions = Pick<WriterOptions, 'timing'> & {
  readonly connection: WritingConnection
  readonly metrics: Metrics
  readonly gaps: ReturnType<typeof makeGaps>
  /** Called for each group that was written, in ms of monotonicMs(). */
  readonly onWritten: (jobs: Jobs, repliedAt: MonotonicMilliseconds) => void
}

/** Takes jobs from ports and writes them, a group at a time. */
const makeGroups = ({ timing, connection, metrics, gaps, onWritten }: GroupOptions) => {
  const ports = new Set<MessagePort>()
  const queue = makeWriterQueue(timing)
  const measures = makeMeasures(metrics)

  /** Commits one group of what has arrived. */
  const step = (): void => {
    receiveAll(ports, queue)
    const jobs = queue.take()
    measures.queued(queue.size())
    if (jobs.length === 0) return
    gaps.leave()
    const began = monotonicMs()
    const replies = groupCommit(
      connection,
      jobs.map(({ message }) => message),
      measures.sync,
    )
    const endedAt = monotonicMs()
    replies.forEach((reply, n) => {
      const isTraced = jobs[n]?.message.isTraced === true
      jobs[n]?.from.postMessage(isTraced ? { ...reply, committed: [began, endedAt] } : reply)
    })
    const repliedAt = monotonicMs()
    gaps.noteWork(repliedAt)
    measures.group(jobs, began, repliedAt)
    onWritten(jobs, repliedAt)
    if (jobs.some(({ message }) => message.job === 'pauseActs')) endPauseInTime()
  }

  let turnIsDue = false

  /** Runs one step; what is left waits until after the maintenance and `control`. */
  const turn = (): void => {
    step()
    if (turnIsDue || queue.isEmpty()) return
    turnIsDue = true
    setImmediate(() => {
      turnIsDue = false
      turn()
    })
  }

  const endPauseInTime = makePauseTimer(queue, turn)

  return {
    attach: (port: MessagePort): void => {
      ports.add(port)
      port.on('message', (message: JobMessage) => {
        queue.put({ message, from: port })
        turn()
      })
      // A caller that waits for an answer keeps the process running, and a thread its control.
      port.unref()
      port.once('close', () => ports.delete(port))
    },
    /** Writes what has arrived, and takes nothing more. */
    finish: (): void => {
      do {
        queue.resume()
        step()
      } while (!queue.isEmpty())
      for (const port of ports) port.close()
    },
  }
}

/** Opens the store for writing and takes jobs, as `control` says. `end` is called once that says close and it is done. */
export const startWriting = (options: WriterOptions, control: MessagePort, end: () => void): void => {
  const { timing } = options
  const metrics = openThreadMetrics(options.metrics, 'writing', timing)
  const db = openForWriting(options.file, timing)
  const guard = guardFiles(options.file)
  const connection = writingConnection(db, clockOf(options.clock), {
    timing,
    leaseMs: options.leaseMs,
    guard,
    onCommitted: ({ endings }) => countEndings(metrics, endings),
  })
  const gaps = makeGaps(timing)
  let askedAt = Number.NEGATIVE_INFINITY
  const reportHost = (report: WriterReport): void => control.postMessage(report)

  const surroundings = {
    timing,
    leaveGap: gaps.leave,
    askedAt: () => askedAt,
    steady: steadyOf(options.clock),
    onSeal: (sealed: Seal) => reportHost({ sealed }),
    onRetention: () => metrics.set('mintmark_last_retention_timestamp_seconds', {}, Date.now() / 1000),
    onKeyWanted: () => reportHost('key wanted'),
    onFault: (failed: BackgroundTask, fault: unknown) => reportHost({ failed, fault: reportedFault(fault) }),
  }
  const maintenance =
    options.maintenance === null ? null : startMaintenance(connection, { ...options.maintenance, ...surroundings })

  const onWritten = (jobs: Jobs, repliedAt: MonotonicMilliseconds): void => {
    if (jobs.some(({ message }) => TRAFFIC.has(message.job))) askedAt = repliedAt
    if (jobs.some(({ message }) => message.job !== 'insertTokens')) maintenance?.wake()
  }
  const groups = makeGroups({ timing, connection, metrics, gaps, onWritten })

  const close = (): void => {
    groups.finish()
    maintenance?.stop()
    db.close()
    end()
  }

  control.on('message', (message: WriterControl) => ('attach' in message ? groups.attach(message.attach) : close()))
  reportHost('ready')
}
