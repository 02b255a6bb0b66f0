// The thread that asks PostgreSQL while the one that asked stands still; see postgres-sync.ts.
import { parentPort } from 'node:worker_threads'
import pg from 'pg'
import { parserOf } from '../../server/src/store/postgres/connection/values.ts'
import type { SyncAnswer, SyncQuestion } from './postgres-sync-messages.ts'

const clients = new Map<string, Promise<pg.Client>>()

const BOOLEAN: number = pg.types.builtins.BOOL

// What the embedded store has as 0 or 1.
const parserAsThere = (type: number): ((text: string) => unknown) =>
  type === BOOLEAN ? text => (text === 't' ? 1 : 0) : parserOf(type)

/** What the parsers rest on, as `SESSION_SETTINGS` has it. */
const BYTES_AS_HEX = '-c bytea_output=hex'

const connect = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({
    connectionString: url,
    options: BYTES_AS_HEX,
    types: { getTypeParser: parserAsThere },
  })
  // Its database may be dropped while it is idle.
  client.on('error', () => clients.delete(url))
  await client.connect()
  return client
}

const clientOf = (url: string): Promise<pg.Client> => {
  const client = clients.get(url) ?? connect(url)
  clients.set(url, client)
  return client
}

const answer = async ({ url, text, values }: SyncQuestion): Promise<SyncAnswer> => {
  try {
    const client = await clientOf(url)
    const result = await client.query<Record<string, unknown>>(text, values.length > 0 ? [...values] : [])
    // Of several statements in one text each has a result.
    const last = Array.isArray(result) ? (result as (typeof result)[]).at(-1) : result
    return { rows: last?.rows ?? [], changes: last?.rowCount ?? 0 }
  } catch (fault) {
    return { fault: fault instanceof Error ? fault.message : String(fault) }
  }
}

parentPort?.on('message', (question: SyncQuestion) => {
  void answer(question).then(answered => {
    question.port.postMessage(answered)
    Atomics.store(question.cell, 0, 1)
    Atomics.notify(question.cell, 0)
  })
})
