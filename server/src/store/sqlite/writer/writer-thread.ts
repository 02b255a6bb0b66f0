// The one thread that writes. It commits what has arrived as one group, and does the maintenance in between.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { Seal } from '../../../domain/audit/seal.ts'
import { countEndings } from '../../count-endings.ts'
import type { BackgroundTask } from '../../background.ts'
import { openThreadMetrics } from '../../../metrics/thread-metrics.ts'
import { monotonicMs } from '../../monotonic.ts'
import { clockOf, steadyOf } from '../connection/clock.ts'
import { openForWriting } from '../connection/connection.ts'
import { guardFiles } from '../connection/serving-lock.ts'
import { groupCommit, reportedFault } from './group-commit.ts'
import { sleep, writingConnection } from '../connection/transaction.ts'
import { startMaintenance } from './maintenance.ts'
import type { JobMessage, WriterControl, WriterOptions, WriterReport } from './writer-messages.ts'
import { ACTS_PAUSE_MS, makeWriterQueue } from './writer-queue.ts'

// Another process (the CLI) must find the lock free now and then, however busy the service is.
const BUSY_STRETCH_MS = 100
const GAP_MS = 2
const IDLE_MS = 5

const control = parentPort
if (control === null) throw new Error('The writing thread is not a program of its own.')

const options = workerData as WriterOptions
const metrics = openThreadMetrics(options.metrics, 'writing')
const db = openForWriting(options.file)
const guard = guardFiles(options.file)
const connection = writingConnection(db, clockOf(options.clock), {
  leaseMs: options.leaseMs,
  guard,
  onCommitted: ({ endings }) => countEndings(metrics, endings),
})

let stretchBegan = monotonicMs()
let lastWorked = stretchBegan

const leaveGap = (): void => {
  const now = monotonicMs()
  if (now - lastWorked > IDLE_MS) stretchBegan = now
  else if (now - stretchBegan > BUSY_STRETCH_MS) {
    sleep(GAP_MS)
    stretchBegan = monotonicMs()
  }
  lastWorked = now
}

// A probe of health or an act of an operator is no traffic that the maintenance must make room for.
const TRAFFIC: ReadonlySet<string> = new Set(['insertTokens', 'useAssertion', 'endToken', 'renewLease'])
let askedAt = Number.NEGATIVE_INFINITY

const reportHost = (report: WriterReport): void => control.postMessage(report)

const surroundings = {
  leaveGap,
  askedAt: () => askedAt,
  steady: steadyOf(options.clock),
  onSeal: (sealed: Seal) => reportHost({ sealed }),
  onRetention: () => metrics.set('mintmark_last_retention_timestamp_seconds', {}, Date.now() / 1000),
  onKeyWanted: () => reportHost('key wanted'),
  onFault: (failed: BackgroundTask, fault: unknown) => reportHost({ failed, fault: reportedFault(fault) }),
}
const wakeMaintenance =
  options.maintenance === null
    ? () => undefined
    : startMaintenance(connection, { ...options.maintenance, ...surroundings })

const ports = new Set<MessagePort>()
const queue = makeWriterQueue()

/** Takes one message from each port in turn, so that no thread waits behind another's queue. */
const receive = (): void => {
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

const measure = (jobs: ReturnType<typeof queue.take>, began: number): void => {
  metrics.observe('mintmark_commit_seconds', {}, (lastWorked - began) / 1000)
  metrics.observe('mintmark_commit_jobs', {}, jobs.length)
  for (const { message } of jobs) metrics.observe('mintmark_write_wait_seconds', {}, (began - message.sentAt) / 1000)
}

/** Commits one group of what has arrived. */
const step = (): void => {
  receive()
  const jobs = queue.take()
  metrics.set('mintmark_write_queue_jobs', {}, queue.size())
  if (jobs.length === 0) return
  leaveGap()
  const began = monotonicMs()
  const replies = groupCommit(
    connection,
    jobs.map(({ message }) => message),
  )
  const endedAt = monotonicMs()
  replies.forEach((reply, n) => {
    const isTraced = jobs[n]?.message.isTraced === true
    jobs[n]?.from.postMessage(isTraced ? { ...reply, committed: [began, endedAt] } : reply)
  })
  lastWorked = monotonicMs()
  measure(jobs, began)
  if (jobs.some(({ message }) => TRAFFIC.has(message.job))) askedAt = lastWorked
  if (jobs.some(({ message }) => message.job !== 'insertTokens')) wakeMaintenance()
  // In case that nobody resumes them.
  if (jobs.some(({ message }) => message.job === 'pauseActs')) setTimeout(turn, ACTS_PAUSE_MS)
}

let turnIsDue = false

/** One step; what is left gives way to the maintenance and to `control`. */
const turn = (): void => {
  step()
  if (turnIsDue || queue.isEmpty()) return
  turnIsDue = true
  setImmediate(() => {
    turnIsDue = false
    turn()
  })
}

const attach = (port: MessagePort): void => {
  ports.add(port)
  port.on('message', (message: JobMessage) => {
    queue.put({ message, from: port })
    turn()
  })
  port.once('close', () => ports.delete(port))
}

const close = (): void => {
  do {
    queue.resume()
    step()
  } while (!queue.isEmpty())
  db.close()
  // What the maintenance had put off for its next turn would find the store closed.
  process.exit()
}

control.on('message', (message: WriterControl) => ('attach' in message ? attach(message.attach) : close()))
reportHost('ready')
