// Takes all that is sealed in a store to another key-encryption key, in one transaction: all of it, or nothing.
import type { Act } from '../../domain/audit/act.ts'
import type { SealedSigningKey } from '../../domain/keys/signing-key.ts'
import { FORMER_KEYS, type FormerKey } from '../audit/check-seals.ts'
import { all, first, only, run, type Program } from '../statement-program.ts'
import { StoreProblem } from '../store-problem.ts'
import { audit, nextSeq, type Transaction } from '../transaction.ts'
import { dropAllSessions } from '../repositories/sessions.ts'
import { readAllSealed } from '../signing-keys/signing-keys.ts'

/** What keys/ does to each thing that is sealed. It throws where something is not sealed under the former key. */
export type Reencryption = {
  /** The ids of the key-encryption keys, before and after. */
  readonly fromId: string
  readonly toId: string
  readonly signingKey: (key: SealedSigningKey) => Uint8Array
  readonly sealKey: (lastSeal: number) => Uint8Array
  readonly formerSealKey: (sealed: Uint8Array, lastSeal: number) => Uint8Array
}

// What keys/ says to a person is why nothing was changed.
const orProblem = (work: () => Uint8Array): Uint8Array => {
  try {
    return work()
  } catch (fault) {
    throw new StoreProblem(fault instanceof Error ? fault.message : String(fault))
  }
}

const RESEAL_KEY = 'update signing_key set sealed_private_key = ? where n = ?'

function* reencryptSigningKeys({ toId, signingKey }: Reencryption): Program<number> {
  const keys = yield* readAllSealed()
  for (const key of keys) {
    const resealed = orProblem(() => signingKey(key))
    yield* run(RESEAL_KEY, resealed, key.number)
  }
  // Those whose private half is erased too: a service seals the audit log where all keys are of its key-encryption key.
  yield* run('update signing_key set key_encryption_key_id = ?', toId)
  return keys.length
}

// Seals cannot be made anew: one can only trust what they were made of, so the key that proves them is kept.
function* keepSealKeys({ sealKey, formerSealKey }: Reencryption): Program<void> {
  const former = yield* all<FormerKey>(FORMER_KEYS)
  for (const { lastSeal, sealedKey } of former) {
    const resealed = orProblem(() => formerSealKey(sealedKey, lastSeal))
    yield* run('update seal_key set sealed_key = ? where last_n = ?', resealed, lastSeal)
  }
  const { last } = yield* only<{ last: number }>('select coalesce(max(n), 0) as last from seal')
  if (last > Math.max(0, ...former.map(({ lastSeal }) => lastSeal))) {
    yield* run('insert into seal_key (last_n, sealed_key) values (?, ?)', last, sealKey(last))
  }
}

const IMPORTED = `select a.id as agent, count(*) over () as secrets from credential c join agent a on a.n = c.agent
  where c.imported = 1 and c.foreign_hash is null and c.revoked_at is null and a.deleted_at is null
    and (c.expires_at is null or c.expires_at > ?) order by c.n limit 1`

// Their hashes are keyed, and the store does not have the secrets: their agents would be refused from then on.
function* refuseImportedSecrets({ now }: Transaction): Program<void> {
  const found = yield* first<{ agent: string; secrets: number }>(IMPORTED, now)
  if (found === undefined) return
  throw new StoreProblem(
    `The store has imported secrets (${found.secrets}, the first of agent ${found.agent}) that only the former key-encryption key can check: ` +
      'give their agents secrets of this service (`mintmark credential rotate`), and run this again once the imported ones have ended.',
  )
}

const IDS = 'select distinct key_encryption_key_id as id from signing_key'

/** `done_before`: all of it is under the new key already, as after an attempt whose end nobody saw. */
export function* reencrypt(tx: Transaction, reencryption: Reencryption, act: Act): Program<'done' | 'done_before'> {
  const { fromId, toId } = reencryption
  const ids = (yield* all<{ id: string }>(IDS)).map(({ id }) => id)
  if (ids.length > 0 && ids.every(id => id === toId)) return 'done_before'
  const foreign = ids.find(id => id !== fromId)
  if (foreign !== undefined) {
    throw new StoreProblem(
      `The store is sealed under the key-encryption key ${foreign}, but MINTMARK_KEY_ENCRYPTION_KEY_OLD is ${fromId}.`,
    )
  }
  yield* refuseImportedSecrets(tx)
  const keys = yield* reencryptSigningKeys(reencryption)
  yield* keepSealKeys(reencryption)
  // The tokens in sessions are sealed under the former key alone: operators sign in again.
  yield* dropAllSessions()
  const seq = yield* nextSeq(tx)
  const [before, after] = [{ key_encryption_key_id: fromId }, { key_encryption_key_id: toId }]
  yield* audit(tx, act, null, { seq, signing_keys: keys, before, after })
  return 'done'
}
