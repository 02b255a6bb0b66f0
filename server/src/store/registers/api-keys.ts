// API keys in the store.
import type { Act } from '../../domain/act.ts'
import type { ApiKey } from '../../domain/api-key.ts'
import { isPermission } from '../../domain/caller.ts'
import { earlierExpiry, expiresAtOf, hasExpired } from '../../domain/expiry.ts'
import type { Sha256 } from '../../domain/hash.ts'
import type { ApiKeyProblem, NewApiKey, Rotated, Rotation } from '../../ports/secret-registers.ts'
import { once } from './idempotency.ts'
import { parseStrings } from '../sqlite/rows.ts'
import type { Statements } from '../sqlite/statements.ts'
import type { Transaction } from '../sqlite/transaction.ts'

type Row = {
  id: string
  name: string
  permissions: string
  audiences: string | null
  createdAt: number
  expiresAt: number | null
  lastUsedAt: number | null
  revokedAt: number | null
}

const SELECT = `select id, name, permissions, audiences, created_at as createdAt, expires_at as expiresAt,
  last_used_at as lastUsedAt, revoked_at as revokedAt from api_key`

// A permission that this program does not know yet is not one that it could grant.
const apiKeyOf = ({ permissions, audiences, ...row }: Row): ApiKey => ({
  ...row,
  permissions: parseStrings(permissions).filter(isPermission),
  audiences: audiences === null ? null : parseStrings(audiences),
})

/** The key with this hash that is not revoked; it may have expired. */
export const findApiKey = (sql: Statements, keyHash: Sha256): ApiKey | undefined => {
  const row = sql<Row>(`${SELECT} where key_hash = unhex(?) and revoked_at is null`).get(keyHash)
  return row === undefined ? undefined : apiKeyOf(row)
}

export const readApiKeyByHash = (sql: Statements, keyHash: Sha256): ApiKey | undefined => {
  const row = sql<Row>(`${SELECT} where key_hash = unhex(?)`).get(keyHash)
  return row === undefined ? undefined : apiKeyOf(row)
}

export const showApiKey = (sql: Statements, apiKeyId: string): ApiKey | undefined => {
  const row = sql<Row>(`${SELECT} where id = ?`).get(apiKeyId)
  return row === undefined ? undefined : apiKeyOf(row)
}

/** At most `limit`, by id, after the id `after`. */
export const listApiKeys = (sql: Statements, after: string | null, limit: number): readonly ApiKey[] =>
  sql<Row>(`${SELECT} where id > ? order by id limit ?`)
    .all(after ?? '', limit)
    .map(apiKeyOf)

const isLive = ({ expiresAt, revokedAt }: ApiKey, now: number): boolean =>
  revokedAt === null && !hasExpired(expiresAt, now)

/**
 * The API key that acts, as it is in this transaction: one that is revoked as leaked must not have made another secret
 * meanwhile. Null where somebody else acts.
 */
export const liveCaller = ({ sql, now }: Transaction, { actor }: Act): ApiKey | 'caller_ended' | null => {
  if (actor.type !== 'api_key') return null
  const caller = showApiKey(sql, actor.id)
  return caller !== undefined && isLive(caller, now) ? caller : 'caller_ended'
}

const problemOfCaller = (tx: Transaction, act: Act, expiresAt: number | null): ApiKeyProblem | undefined => {
  const caller = liveCaller(tx, act)
  if (caller === null) return undefined
  if (caller === 'caller_ended') return caller
  const outlives = caller.expiresAt !== null && (expiresAt === null || expiresAt > caller.expiresAt)
  return outlives ? 'outlives_caller' : undefined
}

const INSERT = `insert into api_key (id, name, key_hash, permissions, audiences, created_at, expires_at)
  values (?, ?, unhex(?), ?, ?, ?, ?)`

const insert = (tx: Transaction, { keyHash, expiry, ...shown }: NewApiKey, act: Act): ApiKey | ApiKeyProblem => {
  const expiresAt = expiresAtOf(expiry, tx.now)
  if (hasExpired(expiresAt, tx.now)) return 'expired'
  const problem = problemOfCaller(tx, act, expiresAt)
  if (problem !== undefined) return problem
  const audiences = shown.audiences === null ? null : JSON.stringify(shown.audiences)
  const row = [shown.id, shown.name, keyHash, JSON.stringify(shown.permissions), audiences, tx.now, expiresAt]
  tx.sql(INSERT).run(...row)
  return { ...shown, createdAt: tx.now, expiresAt, lastUsedAt: null, revokedAt: null }
}

const described = ({ id, name, permissions, audiences, expiresAt }: ApiKey) => ({
  api_key: { id, name, permissions, audiences, expires_at: expiresAt },
})

export type CreateApiKey = { readonly apiKey: NewApiKey; readonly act: Act }

const makeApiKey = (tx: Transaction, { apiKey, act }: CreateApiKey): ApiKey | ApiKeyProblem => {
  const created = insert(tx, apiKey, act)
  if (typeof created !== 'string') tx.audit(act, created.id, described(created))
  return created
}

export const createApiKey = (tx: Transaction, create: CreateApiKey) =>
  once(tx, create.act, create.apiKey.id, () => makeApiKey(tx, create))

export type RotateApiKey = {
  readonly rotation: Rotation<Pick<NewApiKey, 'id' | 'name' | 'keyHash' | 'expiry'>>
  readonly act: Act
}

/** Of two callers without grace one rotates; the other finds that the old one lives no more. */
const replaceApiKey = (
  tx: Transaction,
  { rotation, act }: RotateApiKey,
): Rotated<ApiKey> | ApiKeyProblem | 'unknown' | 'not_live' => {
  const old = showApiKey(tx.sql, rotation.id)
  if (old === undefined) return 'unknown'
  if (!isLive(old, tx.now)) return 'not_live'
  const { name, permissions, audiences } = old
  const replacement = insert(tx, { ...rotation.replacement, name, permissions, audiences }, act)
  if (typeof replacement === 'string') return replacement
  const expiresAt = earlierExpiry(old.expiresAt, tx.now + rotation.graceMs)
  tx.sql('update api_key set expires_at = ? where id = ?').run(expiresAt, old.id)
  const seq = tx.nextSeq()
  const [before, after] = [{ expires_at: old.expiresAt }, { expires_at: expiresAt }]
  tx.audit(act, old.id, { seq, before, after, replacement: described(replacement).api_key })
  return { replacement, replaced: { ...old, expiresAt } }
}

export const rotateApiKey = (tx: Transaction, rotate: RotateApiKey) =>
  once(tx, rotate.act, rotate.rotation.replacement.id, () => replaceApiKey(tx, rotate))

/** What the audit says of a revocation beside the act. */
type Revocation = { readonly act: Act; readonly reason?: 'secret_leaked'; readonly foundAt?: string | null }

/** Undefined where it was revoked before: nothing changes then. */
export const revokeKeyRow = (
  tx: Transaction,
  apiKey: ApiKey,
  { act, reason, foundAt }: Revocation,
): ApiKey | undefined => {
  if (apiKey.revokedAt !== null) return undefined
  const seq = tx.nextSeq()
  tx.sql('update api_key set revoked_at = ? where id = ?').run(tx.now, apiKey.id)
  const found = reason === undefined ? {} : { reason, found_at: foundAt }
  tx.audit(act, apiKey.id, { seq, before: { revoked_at: null }, after: { revoked_at: tx.now }, ...found })
  return { ...apiKey, revokedAt: tx.now }
}

export type RevokeApiKey = { readonly apiKeyId: string; readonly act: Act }

/** Refuses the key from the commit on. Revoking twice changes nothing. */
export const revokeApiKey = (tx: Transaction, { apiKeyId, act }: RevokeApiKey): ApiKey | undefined => {
  const apiKey = showApiKey(tx.sql, apiKeyId)
  return apiKey === undefined ? undefined : (revokeKeyRow(tx, apiKey, { act }) ?? apiKey)
}
