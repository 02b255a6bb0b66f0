// A store with an audit log of any length, sealed in seals of different lengths.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Seal } from '../../../src/domain/audit/seal.ts'
import { SEAL_ENTRIES_MAX, sealStep } from '../../../src/store/audit/seals.ts'
import { type Database, openDatabase } from '../../../src/store/sqlite/connection/database.ts'
import type { Program } from '../../../src/store/statement-program.ts'
import { audit, type Transaction } from '../../../src/store/transaction.ts'
import { act, makeTestStore } from '../../../../testkit/stores/store.ts'
import { inTransaction, withFile, withWritingConnection } from '../../../../testkit/stores/store-file.ts'

/** Not divisors of the length: where a seal ends says nothing of where another does. */
const SEALED_AT_ONCE = [1, 2, 3, 37, 211, SEAL_ENTRIES_MAX]

export type SealedLog = {
  /** The whole file. */
  readonly image: Buffer
  readonly seals: readonly { readonly n: number; readonly first: number; readonly last: number }[]
  /** What the sealer returned for each. */
  readonly logged: readonly Seal[]
}

/** No two are alike but for their numbers. */
function* writeEntries(tx: Transaction, first: number, count: number): Program<void> {
  for (let n = first; n < first + count; n += 1) {
    const source = n % 2 === 0 ? ('192.0.2.1' as const) : null
    const done = { ...act('agent.disable', n % 3 === 0 ? `Nöte ${n}` : null), source }
    yield* audit(tx, done, `agent-${n}`, { seq: n, from: null, to: [n] })
  }
}

const wholeOf = (db: Database, file: string): Buffer => {
  db.pragma('wal_checkpoint(truncate)')
  return readFileSync(file)
}

/** Opens a copy of it, which nobody else has and no disk keeps. */
export const openImage = (image: Buffer): Database => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-image-'))
  const file = join(folder, 'log.db')
  writeFileSync(file, image)
  const db = openDatabase(file)
  db.pragma('journal_mode = memory')
  rmSync(folder, { recursive: true })
  return db
}

/** So many entries under seals, the first of them the store's own, and so many after the last. */
export const makeSealedLog = async (entries: number, unsealed: number, key: Uint8Array): Promise<SealedLog> => {
  const world = await makeTestStore(null)
  const logged: Seal[] = []
  withWritingConnection(world, connection => {
    for (let left = entries - 1, turn = 0; left > 0; turn += 1) {
      const count = Math.min(left, SEALED_AT_ONCE[turn % SEALED_AT_ONCE.length] ?? 1)
      inTransaction(connection, tx => writeEntries(tx, entries - left, count))
      const seal = inTransaction(connection, tx => sealStep(tx, key))
      if (seal !== undefined) logged.push(seal)
      left -= count
    }
    inTransaction(connection, tx => writeEntries(tx, entries, unsealed))
  })
  type Span = { n: number; first: number; last: number }
  const log = withFile(world.file, db => ({
    image: wholeOf(db, world.file),
    seals: db.prepare<Span>('select n, first_n as first, last_n as last from seal').all(),
    logged,
  }))
  await world.dispose()
  log.image.fill(1, 18, 20) // its file format: no write-ahead log, which a store in memory does not have
  return log
}
