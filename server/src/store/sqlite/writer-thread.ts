// The one thread that writes. It drains what has arrived, commits it as one group, and does the upkeep in between.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { clockOf, monotonicMs } from './clock.ts'
import { openForWriting } from './connection.ts'
import { guardFiles } from './file-guard.ts'
import { groupCommit } from './group-commit.ts'
import { hold } from './hold.ts'
import { sleep, writingConnection } from './transaction.ts'
import { startUpkeep } from './upkeep.ts'
import type { JobMessage, WriterControl, WriterMessage, WriterOptions } from './writer-messages.ts'

const GROUP_JOBS_MAX = 256
// Another process (the CLI) must find the lock free now and then, however busy the service is.
const BUSY_STRETCH_MS = 100
const GAP_MS = 2
const IDLE_MS = 5

const control = parentPort
if (control === null) throw new Error('The writing thread is not a program of its own.')

const options = workerData as WriterOptions
const db = openForWriting(options.file)
const guard = guardFiles(options.file)
const connection = writingConnection(db, clockOf(options.clock), { leaseMs: options.leaseMs, guard })

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

type Arrived<Message> = { readonly message: Message; readonly from: MessagePort }

const ports = new Set<MessagePort>()

const commitGroup = (jobs: readonly Arrived<JobMessage>[]): void => {
  if (jobs.length === 0) return
  leaveGap()
  const replies = groupCommit(
    connection,
    jobs.map(({ message }) => message),
  )
  replies.forEach((reply, n) => jobs[n]?.from.postMessage(reply))
  lastWorked = monotonicMs()
  if (jobs.some(({ message }) => message.job !== 'insertTokens')) wakeUpkeep()
}

/** Takes one message from each port in turn, so that no thread waits behind another's queue. */
function* arrived(): Generator<Arrived<WriterMessage>> {
  for (let found = true; found; ) {
    found = false
    for (const from of ports) {
      const received: { message: WriterMessage } | undefined = receiveMessageOnPort(from)
      if (received === undefined) continue
      found = true
      yield { message: received.message, from }
    }
  }
}

/** Commits what has arrived, in groups; gives way to the upkeep and to `control` after the first unless told not to. */
const drain = (first: Arrived<WriterMessage> | null, groupsMax = 1): void => {
  const jobs: Arrived<JobMessage>[] = []
  let groups = 0
  const commit = (): void => {
    commitGroup(jobs.splice(0))
    groups += 1
  }
  const take = ({ message, from }: Arrived<WriterMessage>): void => {
    if (message.job !== 'hold') {
      jobs.push({ message, from })
      return
    }
    commit()
    hold(connection, message.port, message.deadline)
  }
  if (first !== null) take(first)
  for (const next of arrived()) {
    take(next)
    if (jobs.length >= GROUP_JOBS_MAX) commit()
    // What is left makes an event of its own.
    if (groups >= groupsMax) break
  }
  commit()
}

const attach = (port: MessagePort): void => {
  ports.add(port)
  port.on('message', (message: WriterMessage) => drain({ message, from: port }))
  port.once('close', () => ports.delete(port))
}

const close = (): void => {
  drain(null, Number.POSITIVE_INFINITY)
  db.close()
  // What the upkeep had put off for its next turn would find the store closed.
  process.exit()
}

control.on('message', (message: WriterControl) => ('attach' in message ? attach(message.attach) : close()))
control.postMessage('ready')
