// Signing keys in the store: their private halves only sealed.
import type { Act } from '../../domain/act.ts'
import type { PublicJwk, SealedSigningKey, SigningKey } from '../../domain/signing-key.ts'
import type { Statements } from './statements.ts'
import type { Transaction } from './transaction.ts'

type Row = { number: number; publicJwk: string; sealedPrivateKey: Buffer; keyEncryptionKeyId: string }

const COLUMNS = `n as number, public_jwk as publicJwk, sealed_private_key as sealedPrivateKey,
  key_encryption_key_id as keyEncryptionKeyId`

export const parsePublicJwk = (json: string): PublicJwk => JSON.parse(json) as PublicJwk // written by createFirstKey

const signingKeyOf = (row: Row): SigningKey => ({ ...row, publicJwk: parsePublicJwk(row.publicJwk) })

/** Newest first: the first one signs. */
export const readSigningKeys = (sql: Statements): readonly SigningKey[] =>
  sql<Row>(`select ${COLUMNS} from signing_key where ended_seq = 0 order by n desc`).all().map(signingKeyOf)

export type CreateFirstKey = { readonly key: SealedSigningKey; readonly act: Act }

export const createFirstKey = (tx: Transaction, { key, act }: CreateFirstKey): 'created' | 'already_exists' => {
  if (tx.sql('select 1 from signing_key').get() !== undefined) return 'already_exists'
  const { publicJwk, sealedPrivateKey, keyEncryptionKeyId } = key
  tx.nextSeq()
  const insert = `insert into signing_key (kid, public_jwk, sealed_private_key, key_encryption_key_id, created_at)
    values (?, ?, ?, ?, ?)`
  const { kid } = publicJwk
  tx.sql(insert).run(kid, JSON.stringify(publicJwk), sealedPrivateKey, keyEncryptionKeyId, tx.now)
  tx.audit(act, kid, { public_jwk: publicJwk, key_encryption_key_id: keyEncryptionKeyId })
  return 'created'
}
