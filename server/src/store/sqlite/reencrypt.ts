// Takes all that is sealed in a store to another key-encryption key, in one transaction: all of it, or nothing.
import { existsSync } from 'node:fs'
import type { Act } from '../../domain/act.ts'
import type { SealedSigningKey } from '../../domain/signing-key.ts'
import { clockOf, monotonicMs, startClock } from './clock.ts'
import { openForWriting, refuseForeignUser, StoreProblem } from './connection.ts'
import { readServiceRow } from '../service-row.ts'
import { takeServingLock } from './serving-lock.ts'
import { readAllSealed } from '../signing-keys/signing-keys.ts'
import { statementsOf } from './statements.ts'
import { begin, openTransaction, type Transaction, writingConnection } from './transaction.ts'

const BUSY_MS = 10_000

/** What keys/ does to each thing that is sealed. It throws where something is not sealed under the former key. */
export type Reencryption = {
  /** The ids of the key-encryption keys, before and after. */
  readonly fromId: string
  readonly toId: string
  readonly signingKey: (key: SealedSigningKey) => Uint8Array
  readonly sealKey: (lastSeal: number) => Uint8Array
  readonly formerSealKey: (sealed: Uint8Array, lastSeal: number) => Uint8Array
}

type FormerKey = { readonly lastSeal: number; readonly sealedKey: Buffer }

// What keys/ says to a person is why nothing was changed.
const orProblem = (work: () => Uint8Array): Uint8Array => {
  try {
    return work()
  } catch (fault) {
    throw new StoreProblem(fault instanceof Error ? fault.message : String(fault))
  }
}

const reencryptSigningKeys = ({ sql }: Transaction, { toId, signingKey }: Reencryption): number => {
  const keys = readAllSealed(sql)
  const update = sql('update signing_key set sealed_private_key = ? where n = ?')
  for (const key of keys)
    update.run(
      orProblem(() => signingKey(key)),
      key.number,
    )
  // Those whose private half is erased too: a service seals the audit log where all keys are of its key-encryption key.
  sql('update signing_key set key_encryption_key_id = ?').run(toId)
  return keys.length
}

// Seals cannot be made anew: one can only trust what they were made of, so the key that proves them is kept.
const keepSealKeys = ({ sql }: Transaction, { sealKey, formerSealKey }: Reencryption): void => {
  const former = sql<FormerKey>('select last_n as lastSeal, sealed_key as sealedKey from seal_key').all()
  const update = sql('update seal_key set sealed_key = ? where last_n = ?')
  for (const { lastSeal, sealedKey } of former)
    update.run(
      orProblem(() => formerSealKey(sealedKey, lastSeal)),
      lastSeal,
    )
  const { last } = sql<{ last: number }>('select coalesce(max(n), 0) as last from seal').get() ?? { last: 0 }
  if (last > Math.max(0, ...former.map(({ lastSeal }) => lastSeal))) {
    sql('insert into seal_key (last_n, sealed_key) values (?, ?)').run(last, sealKey(last))
  }
}

const IMPORTED = `select a.id as agent, count(*) over () as secrets from credential c join agent a on a.n = c.agent
  where c.imported = 1 and c.foreign_hash is null and c.revoked_at is null and a.deleted_at is null
    and (c.expires_at is null or c.expires_at > ?) order by c.n limit 1`

// Their hashes are keyed, and the store does not have the secrets: their agents would be refused from then on.
const refuseImportedSecrets = ({ sql, now }: Transaction): void => {
  const found = sql<{ agent: string; secrets: number }>(IMPORTED).get(now)
  if (found === undefined) return
  throw new StoreProblem(
    `The store has imported secrets (${found.secrets}, the first of agent ${found.agent}) that only the former key-encryption key can check: ` +
      'give their agents secrets of this service (`mintmark credential rotate`), and run this again once the imported ones have ended.',
  )
}

const IDS = 'select distinct key_encryption_key_id as id from signing_key'

/** `done_before`: all of it is under the new key already, as after an attempt whose end nobody saw. */
const reencrypt = (tx: Transaction, reencryption: Reencryption, act: Act): 'done' | 'done_before' => {
  const { fromId, toId } = reencryption
  const ids = tx
    .sql<{ id: string }>(IDS)
    .all()
    .map(({ id }) => id)
  if (ids.length > 0 && ids.every(id => id === toId)) return 'done_before'
  const foreign = ids.find(id => id !== fromId)
  if (foreign !== undefined) {
    throw new StoreProblem(
      `The store is sealed under the key-encryption key ${foreign}, but MINTMARK_KEY_ENCRYPTION_KEY_OLD is ${fromId}.`,
    )
  }
  refuseImportedSecrets(tx)
  const keys = reencryptSigningKeys(tx, reencryption)
  keepSealKeys(tx, reencryption)
  const seq = tx.nextSeq()
  tx.audit(act, null, {
    seq,
    signing_keys: keys,
    before: { key_encryption_key_id: fromId },
    after: { key_encryption_key_id: toId },
  })
  return 'done'
}

type Options = { readonly file: string; readonly act: Act; readonly reencryption: Reencryption }

/** Throws StoreProblem with one line for a person; nothing has changed then. */
export const reencryptStore = ({ file, act, reencryption }: Options): 'done' | 'done_before' => {
  if (existsSync(file)) refuseForeignUser(file)
  // A service that runs has the former key in its memory: it could open no key, and would seal nothing more.
  const unlock = takeServingLock(file)
  const db = openForWriting(file)
  try {
    const { clockLease } = readServiceRow(statementsOf(db))
    const connection = writingConnection(db, clockOf(startClock(clockLease, null)), { leaseMs: 0 })
    begin(connection, monotonicMs() + BUSY_MS)
    const outcome = reencrypt(openTransaction(connection), reencryption, act)
    connection.sql('commit').run()
    return outcome
  } finally {
    // What was not committed is as if it had not been begun.
    db.close()
    unlock()
  }
}
