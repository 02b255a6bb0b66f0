// API keys in the store.
import type { Act } from '../../domain/act.ts'
import type { ApiKey } from '../../domain/api-key.ts'
import type { Sha256 } from '../../domain/hash.ts'
import { isPermission } from '../../domain/caller.ts'
import type { NewApiKey } from '../../ports.ts'
import { parseStrings } from './rows.ts'
import type { Statements } from './statements.ts'
import type { Transaction } from './transaction.ts'

type Row = {
  id: string
  name: string
  permissions: string
  audiences: string | null
  createdAt: number
  revokedAt: number | null
}

const COLUMNS = 'id, name, permissions, audiences, created_at as createdAt, revoked_at as revokedAt'

// A permission that this program does not know yet is not one that it could grant.
const apiKeyOf = (row: Row): ApiKey => ({
  id: row.id,
  name: row.name,
  permissions: parseStrings(row.permissions).filter(isPermission),
  audiences: row.audiences === null ? null : parseStrings(row.audiences),
  createdAt: row.createdAt,
  revokedAt: row.revokedAt,
})

/** The live key with this hash. */
export const findApiKey = (sql: Statements, keyHash: Sha256): ApiKey | undefined => {
  const row = sql<Row>(`select ${COLUMNS} from api_key where key_hash = unhex(?) and revoked_at is null`).get(keyHash)
  return row === undefined ? undefined : apiKeyOf(row)
}

/** At most `limit`, by id, after the id `after`. */
export const listApiKeys = (sql: Statements, after: string | null, limit: number): readonly ApiKey[] =>
  sql<Row>(`select ${COLUMNS} from api_key where id > ? order by id limit ?`)
    .all(after ?? '', limit)
    .map(apiKeyOf)

export type CreateApiKey = { readonly apiKey: NewApiKey; readonly act: Act }

export const createApiKey = (tx: Transaction, { apiKey, act }: CreateApiKey): ApiKey => {
  const { keyHash, ...shown } = apiKey
  const audiences = shown.audiences === null ? null : JSON.stringify(shown.audiences)
  const insert = `insert into api_key (id, name, key_hash, permissions, audiences, created_at) values (?, ?, unhex(?), ?, ?, ?)`
  tx.sql(insert).run(shown.id, shown.name, keyHash, JSON.stringify(shown.permissions), audiences, tx.now)
  tx.audit(act, apiKey.id, { api_key: shown })
  return { ...shown, createdAt: tx.now, revokedAt: null }
}

export type RevokeApiKey = { readonly apiKeyId: string; readonly act: Act }

/** Refuses the key from the commit on. Revoking twice changes nothing. */
export const revokeApiKey = (tx: Transaction, { apiKeyId, act }: RevokeApiKey): ApiKey | undefined => {
  const row = tx.sql<Row>(`select ${COLUMNS} from api_key where id = ?`).get(apiKeyId)
  if (row === undefined || row.revokedAt !== null) return row === undefined ? undefined : apiKeyOf(row)
  const seq = tx.nextSeq()
  tx.sql('update api_key set revoked_at = ? where id = ?').run(tx.now, apiKeyId)
  tx.audit(act, apiKeyId, { seq })
  return apiKeyOf({ ...row, revokedAt: tx.now })
}
