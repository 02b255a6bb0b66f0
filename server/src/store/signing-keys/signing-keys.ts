// Signing keys in the store: reading them, and the first one. Their private halves are there only sealed.
import type { Act } from '../../domain/act.ts'
import type { KeyRecord, KeyState } from '../../domain/key-life.ts'
import type { PublicJwk, SealedSigningKey, SigningKey } from '../../domain/signing-key.ts'
import type { KeysSeen } from '../../ports/signing-keys.ts'
import { lifetimesInUse } from '../registers/agents.ts'
import type { Statements } from '../sqlite/statements.ts'
import type { Transaction } from '../sqlite/transaction.ts'

type SealedRow = {
  number: number
  publicJwk: string
  thumbprint: string
  sealedPrivateKey: Buffer
  keyEncryptionKeyId: string
}

const SEALED_COLUMNS = `n as number, public_jwk as publicJwk, thumbprint, sealed_private_key as sealedPrivateKey,
  key_encryption_key_id as keyEncryptionKeyId`

export const parsePublicJwk = (json: string): PublicJwk => JSON.parse(json) as PublicJwk // written by insertKey

const signingKeyOf = (row: SealedRow): SigningKey => ({ ...row, publicJwk: parsePublicJwk(row.publicJwk) })

/** The one that signs. */
export const readCurrentSigningKey = (sql: Statements): SigningKey | undefined => {
  const row = sql<SealedRow>(`select ${SEALED_COLUMNS} from signing_key where state = 'current'`).get()
  return row === undefined ? undefined : signingKeyOf(row)
}

/** Those that sign or may sign. */
export const readSigningKeys = (sql: Statements): readonly SigningKey[] =>
  sql<SealedRow>(`select ${SEALED_COLUMNS} from signing_key where state in ('current', 'next')`).all().map(signingKeyOf)

/** Every key whose private half is there. */
export const readAllSealed = (sql: Statements): readonly SigningKey[] =>
  sql<SealedRow>(`select ${SEALED_COLUMNS} from signing_key where length(sealed_private_key) > 0`)
    .all()
    .map(signingKeyOf)

// A verifier that looks at one key alone finds the one that signs: by their names the states stand in this order.
const PUBLISHED = `select public_jwk as json from signing_key where state in ('current', 'next', 'retained')
  order by state, n desc`

export const readPublished = (sql: Statements): readonly PublicJwk[] =>
  sql<{ json: string }>(PUBLISHED)
    .all()
    .map(({ json }) => parsePublicJwk(json))

type RecordRow = Omit<KeyRecord, 'publicJwk' | 'imported' | 'wanted'> & {
  publicJwk: string
  imported: 0 | 1
  wanted: 0 | 1
  state: KeyState
}

const RECORD = `select n as number, public_jwk as publicJwk, thumbprint, state, imported, created_at as createdAt,
  signs_from as signsFrom, signs_until as signsUntil, gone_at as goneAt, steady_ms as steadyMs, wanted from signing_key`

const recordOf = ({ publicJwk, imported, wanted, ...row }: RecordRow): KeyRecord => ({
  ...row,
  publicJwk: parsePublicJwk(publicJwk),
  imported: imported === 1,
  wanted: wanted === 1,
})

/** All that are not gone, however many there are: a service has two, and those that it retains. */
export const readKeysInLife = (sql: Statements): readonly KeyRecord[] =>
  sql<RecordRow>(`${RECORD} where state in ('next', 'current', 'retained') order by n desc`).all().map(recordOf)

export const readKey = (sql: Statements, kid: string): KeyRecord | undefined => {
  const row = sql<RecordRow>(`${RECORD} where kid = ?`).get(kid)
  return row === undefined ? undefined : recordOf(row)
}

export const listKeys = (sql: Statements, after: number | null, limit: number): readonly KeyRecord[] =>
  sql<RecordRow>(`${RECORD} where n < ? order by n desc limit ?`)
    .all(after ?? Number.MAX_SAFE_INTEGER, limit)
    .map(recordOf)

/** The longest token lifetime in use, in seconds; 0 where none is. */
export const longestLifetime = (sql: Statements): number => lifetimesInUse(sql).at(-1) ?? 0

export const seenAt = (
  { sql, now }: { readonly sql: Statements; readonly now: number },
  keys: readonly KeyRecord[],
): KeysSeen => ({ keys, now, longest: longestLifetime(sql) })

const INSERT = `insert into signing_key (kid, public_jwk, thumbprint, sealed_private_key, key_encryption_key_id,
  created_at, state, signs_from, imported) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** Writes a key with its audit row. A change of what may sign takes a number: what was decided before decides again. */
export const insertKey = (
  tx: Transaction,
  { key, act }: InsertKey,
  as: { readonly state: 'next' | 'current'; readonly imported: boolean },
): void => {
  const { publicJwk, thumbprint, sealedPrivateKey, keyEncryptionKeyId } = key
  const seq = tx.nextSeq()
  const { kid } = publicJwk
  const signsFrom = as.state === 'current' ? tx.now : null
  const row = [kid, JSON.stringify(publicJwk), thumbprint, sealedPrivateKey, keyEncryptionKeyId, tx.now]
  tx.sql(INSERT).run(...row, as.state, signsFrom, as.imported ? 1 : 0)
  tx.audit(act, kid, { seq, state: as.state, public_jwk: publicJwk, key_encryption_key_id: keyEncryptionKeyId })
}

export type InsertKey = { readonly key: SealedSigningKey; readonly act: Act }

export const createFirstKey = (tx: Transaction, insert: InsertKey): 'created' | 'already_exists' => {
  if (tx.sql('select 1 from signing_key').get() !== undefined) return 'already_exists'
  insertKey(tx, insert, { state: 'current', imported: false })
  return 'created'
}
