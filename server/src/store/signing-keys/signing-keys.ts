// Signing keys in the store: reading them, and the first one. Their private halves are there only sealed.
import type { Act } from '../../domain/audit/act.ts'
import type { KeyRecord, KeyState } from '../../domain/keys/key-life.ts'
import type { PublicJwk, SealedSigningKey, SigningKey } from '../../domain/keys/signing-key.ts'
import type { KeysSeen } from '../../ports/signing-keys.ts'
import { all, first, only, run, type Program } from '../statement-program.ts'
import type { Seen } from '../snapshot.ts'
import { audit, nextSeq, type Transaction } from '../transaction.ts'

export type SealedRow = {
  number: number
  publicJwk: string
  thumbprint: string
  sealedPrivateKey: Uint8Array
  keyEncryptionKeyId: string
}

export const SEALED_COLUMNS = `n as number, public_jwk as "publicJwk", thumbprint, sealed_private_key as "sealedPrivateKey",
  key_encryption_key_id as "keyEncryptionKeyId"`

export const parsePublicJwk = (json: string): PublicJwk => JSON.parse(json) as PublicJwk // written by insertKey

export const signingKeyOf = (row: SealedRow): SigningKey => ({ ...row, publicJwk: parsePublicJwk(row.publicJwk) })

const SEALED = `select ${SEALED_COLUMNS} from signing_key where`

/** The one that signs. */
export function* readCurrentSigningKey(): Program<SigningKey | undefined> {
  const row = yield* first<SealedRow>(`${SEALED} state = 'current'`)
  return row === undefined ? undefined : signingKeyOf(row)
}

/** Reads the keys that sign or may sign. */
export function* readSigningKeys(): Program<readonly SigningKey[]> {
  return (yield* all<SealedRow>(`${SEALED} state in ('current', 'next')`)).map(signingKeyOf)
}

/** Reads every key whose private half is stored. */
export function* readAllSealed(): Program<readonly SigningKey[]> {
  return (yield* all<SealedRow>(`${SEALED} length(sealed_private_key) > 0`)).map(signingKeyOf)
}

// A verifier that looks at one key alone finds the one that signs: by their names the states stand in this order.
const PUBLISHED = `select public_jwk as json from signing_key where state in ('current', 'next', 'retained')
  order by state, n desc`

export function* readPublished(): Program<readonly PublicJwk[]> {
  return (yield* all<{ json: string }>(PUBLISHED)).map(({ json }) => parsePublicJwk(json))
}

type RecordRow = Omit<KeyRecord, 'publicJwk' | 'imported' | 'wanted'> & {
  publicJwk: string
  imported: 0 | 1
  wanted: 0 | 1
  state: KeyState
}

const RECORD = `select n as number, public_jwk as "publicJwk", thumbprint, state, imported, created_at as "createdAt",
  signs_from as "signsFrom", signs_until as "signsUntil", gone_at as "goneAt", steady_ms as "steadyMs", wanted from signing_key`

const recordOf = ({ publicJwk, imported, wanted, ...row }: RecordRow): KeyRecord => ({
  ...row,
  publicJwk: parsePublicJwk(publicJwk),
  imported: imported === 1,
  wanted: wanted === 1,
})

/** Reads all keys that are not gone, however many there are: a service has two, and those that it retains. */
export function* readKeysInLife(): Program<readonly KeyRecord[]> {
  const where = `where state in ('next', 'current', 'retained') order by n desc`
  return (yield* all<RecordRow>(`${RECORD} ${where}`)).map(recordOf)
}

export function* readKey(kid: string): Program<KeyRecord | undefined> {
  const row = yield* first<RecordRow>(`${RECORD} where kid = ?`, kid)
  return row === undefined ? undefined : recordOf(row)
}

export function* listKeys(after: number | null, limit: number): Program<readonly KeyRecord[]> {
  const below = after ?? Number.MAX_SAFE_INTEGER
  return (yield* all<RecordRow>(`${RECORD} where n < ? order by n desc limit ?`, below, limit)).map(recordOf)
}

const LONGEST = `select coalesce(max(life), 0) as longest from (
  select life from lifetime union all select life from agent where life is not null and deleted_at is null) as used`

/** The longest lifetime of a token that lives or may come, in seconds; 0 where there is none. */
export function* longestLifetime(): Program<number> {
  return (yield* only<{ longest: number }>(LONGEST)).longest
}

export function* seenAt({ now }: Pick<Seen, 'now'>, keys: readonly KeyRecord[]): Program<KeysSeen> {
  return { keys, now, longest: yield* longestLifetime() }
}

const INSERT = `insert into signing_key (kid, public_jwk, thumbprint, sealed_private_key, key_encryption_key_id,
  created_at, state, signs_from, imported) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`

type NewState = { readonly state: 'next' | 'current'; readonly imported: boolean }

/**
 * Writes a key, and returns what the audit is to hold of it. A change of what may sign takes a number: what was decided
 * before decides again.
 */
export function* writeKey(tx: Transaction, key: SealedSigningKey, { state, imported }: NewState): Program<object> {
  const { publicJwk, thumbprint, sealedPrivateKey, keyEncryptionKeyId } = key
  const seq = yield* nextSeq(tx)
  const signsFrom = state === 'current' ? tx.now : null
  const row = [publicJwk.kid, JSON.stringify(publicJwk), thumbprint, sealedPrivateKey, keyEncryptionKeyId, tx.now]
  yield* run(INSERT, ...row, state, signsFrom, imported ? 1 : 0)
  return { seq, state, public_jwk: publicJwk, key_encryption_key_id: keyEncryptionKeyId }
}

/** Inserts a key as an act of its own. */
export function* insertKey(tx: Transaction, { key, act }: InsertKey, as: NewState): Program<void> {
  yield* audit(tx, act, key.publicJwk.kid, yield* writeKey(tx, key, as))
}

export type InsertKey = { readonly key: SealedSigningKey; readonly act: Act }

export function* createFirstKey(tx: Transaction, insert: InsertKey): Program<'created' | 'already_exists'> {
  if ((yield* first('select 1 as found from signing_key limit 1')) !== undefined) return 'already_exists'
  yield* insertKey(tx, insert, { state: 'current', imported: false })
  return 'created'
}
