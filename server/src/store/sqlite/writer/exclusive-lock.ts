// A hold of the write lock: the holder decides on what it reads meanwhile, and writes one group.
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { monotonicMs } from '../../monotonic.ts'
import { failureOf } from './group-commit.ts'
import { runProgram } from '../connection/run-program.ts'
import { JOBS } from './jobs.ts'
import { begin, forgetMemory, openTransaction, sleep, type WritingConnection } from '../connection/transaction.ts'
import type { LockMessage, LockReply } from './writer-messages.ts'

const LOCK_MS_MAX = 1000
const POLL_MS = 1

const awaitMessage = (port: MessagePort): LockMessage | undefined => {
  const until = monotonicMs() + LOCK_MS_MAX
  while (monotonicMs() < until) {
    const received: { message: LockMessage } | undefined = receiveMessageOnPort(port)
    if (received !== undefined) return received.message
    sleep(POLL_MS)
  }
  return undefined
}

const serveHolder = (connection: WritingConnection, port: MessagePort): LockReply | undefined => {
  const tx = openTransaction(connection)
  port.postMessage({ held: true } satisfies LockReply)
  const message = awaitMessage(port)
  if (message === undefined) return { failure: { kind: 'unavailable', message: 'The lock was held too long.' } }
  if ('release' in message) return undefined
  const outcomes = runProgram(tx.sql, JOBS.insertTokens(tx, message.insert))
  connection.sql('commit').run()
  return { outcomes }
}

const abandon = (connection: WritingConnection): void => {
  if (connection.db.inTransaction) connection.db.exec('rollback')
  forgetMemory(connection)
}

/** Blocks the writing thread, for at most a second, while the holder decides: that is what it is for. */
export const hold = (connection: WritingConnection, port: MessagePort, deadline: number): void => {
  try {
    begin(connection, deadline)
    const reply = serveHolder(connection, port)
    if (connection.db.inTransaction) abandon(connection)
    if (reply !== undefined) port.postMessage(reply)
  } catch (fault) {
    abandon(connection)
    port.postMessage({ failure: failureOf(fault) } satisfies LockReply)
  } finally {
    port.close()
  }
}
