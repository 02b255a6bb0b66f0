// Asks PostgreSQL and stands still until the answer is there, so that one test can look into either store.
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { TIMING } from '../../server/src/ports/timing.ts'
import { makeLiveTokens, type Transaction } from '../../server/src/store/transaction.ts'
import { makeSets } from '../../server/src/store/ledger/interned-sets.ts'
import { LEASE_MS } from '../../server/src/store/lease.ts'
import { isEarlierServing, lastGiven, TOKENS_LOCK } from '../../server/src/store/postgres/writer/open-transaction.ts'
import { endedBetween } from '../../server/src/store/postgres/partitions/partitions.ts'
import type { Program } from '../../server/src/store/statement-program.ts'
import type { SyncAnswer, SyncQuestion } from './postgres-sync-messages.ts'

const ANSWER_MS_MAX = 20_000

let thread: Worker | undefined

const startThread = (): Worker => {
  const started = new Worker(new URL('./postgres-sync-thread.ts', import.meta.url))
  started.unref()
  return started
}

const numberPlaces = (text: string): string => {
  let n = 0
  return text.replaceAll('?', () => `$${++n}`)
}

// What crosses between threads loses that it is a Buffer.
const restore = (value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value

/** Asks one statement, with `?` for its values; throws what the database says against it. */
export const askNow = (url: string, text: string, ...values: readonly unknown[]) => {
  thread ??= startThread()
  const { port1, port2 } = new MessageChannel()
  const cell = new Int32Array(new SharedArrayBuffer(4))
  const question: SyncQuestion = { url, text: numberPlaces(text), values, cell, port: port2 }
  thread.postMessage(question, [port2])
  if (Atomics.wait(cell, 0, 0, ANSWER_MS_MAX) === 'timed-out') throw new Error(`PostgreSQL did not answer: ${text}`)
  const received = receiveMessageOnPort(port1)?.message as SyncAnswer
  port1.close()
  if ('fault' in received) throw new Error(received.fault)
  const rows = received.rows.map(row =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, restore(value)])),
  )
  return { rows, changes: received.changes }
}

export type WritingDatabase = { readonly url: string; readonly clock: () => number }

const transactionNow = ({ url, clock }: WritingDatabase): Transaction => ({
  now: Math.max(clock(), Number(askNow(url, 'select last_at from service').rows[0]?.['last_at'])),
  sets: makeSets(),
  live: makeLiveTokens(TIMING),
  endings: [],
  endedBetween,
  isEarlierServing,
  lastGiven,
})

/** Runs a script in one transaction, as the store does, and stands still meanwhile. */
export const inTransactionNow = <T>(database: WritingDatabase, program: (tx: Transaction) => Program<T>): T => {
  const { url } = database
  askNow(url, 'begin')
  try {
    askNow(url, 'select one from service for update')
    askNow(url, 'select pg_advisory_xact_lock(?)', TOKENS_LOCK)
    const tx = transactionNow(database)
    askNow(url, 'update service set clock_lease = ? where clock_lease < ?', tx.now + LEASE_MS, tx.now + LEASE_MS / 2)
    const running = program(tx)
    let step = running.next()
    while (step.done !== true) step = running.next(askNow(url, step.value.text, ...step.value.values))
    askNow(url, 'commit')
    return step.value
  } catch (fault) {
    askNow(url, 'rollback')
    throw fault
  }
}
