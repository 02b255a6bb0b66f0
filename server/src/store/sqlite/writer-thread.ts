// The one thread that writes. It drains what has arrived, commits it as one group, and does the upkeep in between.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { clockOf, monotonicMs } from './clock.ts'
import { openForWriting } from './connection.ts'
import { groupCommit } from './group-commit.ts'
import { hold } from './hold.ts'
import { sleep, writingConnection } from './transaction.ts'
import { startUpkeep } from './upkeep.ts'
import type { JobMessage, WriterMessage, WriterOptions } from './writer-messages.ts'

const GROUP_JOBS_MAX = 256
// Another process (the CLI) must find the lock free now and then, however busy the service is.
const BUSY_STRETCH_MS = 100
const GAP_MS = 2
const IDLE_MS = 5

const port = parentPort
if (port === null) throw new Error('The writing thread is not a program of its own.')

const options = workerData as WriterOptions
const db = openForWriting(options.file)
const connection = writingConnection(db, clockOf(options.clock))

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

const wakeUpkeep = options.upkeep === null ? () => undefined : startUpkeep(connection, options.upkeep, leaveGap)

const commitGroup = (jobs: readonly JobMessage[]): void => {
  if (jobs.length === 0) return
  leaveGap()
  for (const reply of groupCommit(connection, jobs)) port.postMessage(reply)
  lastWorked = monotonicMs()
  if (jobs.some(({ job }) => job !== 'insertTokens')) wakeUpkeep()
}

const close = (): void => {
  db.close()
  port.close()
  // What the upkeep had put off for its next turn would find the store closed.
  process.exit()
}

const nextMessage = (): WriterMessage | undefined => {
  const received: { message: WriterMessage } | undefined = receiveMessageOnPort(port)
  return received?.message
}

const drain = (first: WriterMessage): void => {
  const jobs: JobMessage[] = []
  for (let next: WriterMessage | undefined = first; next !== undefined; next = nextMessage()) {
    if (next.job !== 'hold' && next.job !== 'close') jobs.push(next)
    else {
      commitGroup(jobs.splice(0))
      if (next.job === 'close') return close()
      hold(connection, next.port, next.deadline)
    }
    if (jobs.length >= GROUP_JOBS_MAX) break
  }
  commitGroup(jobs)
}

port.on('message', drain)
port.postMessage('ready')
