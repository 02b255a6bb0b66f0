// API keys in the store.
import type { Act } from '../../domain/audit/act.ts'
import type { ApiKey } from '../../domain/clients/api-key.ts'
import { isPermission } from '../../../../api/values/access.ts'
import { earlierExpiry, expiresAtOf, hasExpired } from '../../domain/ledger/expiry.ts'
import type { ApiKeyFilters, KeyedRequest } from '../../domain/lists/page.ts'
import type { Sha256 } from '../../domain/text/text.ts'
import type { ApiKeyProblem, NewApiKey, Rotated, Rotation } from '../../ports/secret-repositories.ts'
import { bytesOfHex, parseStrings } from '../rows.ts'
import { allOf, alternatives, isAnyOf } from '../lists/name-conditions.ts'
import { all, first, run, type Program } from '../statement-program.ts'
import { foundAtOf, audit, nextSeq, type Transaction } from '../transaction.ts'
import { once } from './idempotency.ts'

/** As `API_KEY_COLUMNS` lists it. */
export type ApiKeyRow = Omit<ApiKey, 'permissions' | 'audiences'> & { permissions: string; audiences: string | null }

export const API_KEY_COLUMNS = `id, name, permissions, audiences, created_at as "createdAt", expires_at as "expiresAt",
  last_used_at as "lastUsedAt", revoked_at as "revokedAt", suspended_at as "suspendedAt"`

/** Neither revoked nor suspended; it may have expired. */
export const IS_KEPT = 'revoked_at is null and suspended_at is null'

const SELECT = `select ${API_KEY_COLUMNS} from api_key`

// A permission that this program does not know yet is not one that it could grant.
export const apiKeyOf = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  permissions: parseStrings(row.permissions).filter(isPermission),
  audiences: row.audiences === null ? null : parseStrings(row.audiences),
  createdAt: row.createdAt,
  expiresAt: row.expiresAt,
  lastUsedAt: row.lastUsedAt,
  revokedAt: row.revokedAt,
  suspendedAt: row.suspendedAt,
})

function* findOne(where: string, value: string | Uint8Array): Program<ApiKey | undefined> {
  const row = yield* first<ApiKeyRow>(`${SELECT} where ${where}`, value)
  return row === undefined ? undefined : apiKeyOf(row)
}

/** The key with this hash that is neither revoked nor suspended; it may have expired. */
export const findApiKey = (keyHash: Sha256): Program<ApiKey | undefined> =>
  findOne(`key_hash = ? and ${IS_KEPT}`, bytesOfHex(keyHash))

export const readApiKeyByHash = (keyHash: Sha256): Program<ApiKey | undefined> =>
  findOne('key_hash = ?', bytesOfHex(keyHash))

export const showApiKey = (apiKeyId: string): Program<ApiKey | undefined> => findOne('id = ?', apiKeyId)

type Request = KeyedRequest<ApiKeyFilters>

const NAMES = { id: 'id', name: 'name' }

/** By name and id: what the index of names finds, and beside it what that of ids does. */
function* listByName({ filters, after, limit }: Request): Program<readonly ApiKeyRow[]> {
  const last =
    after === null ? undefined : yield* first<{ name: string }>('select name from api_key where id = ?', after)
  const key = last === undefined ? [] : [{ sql: '(name, id) > (?, ?)', values: [last.name, after ?? ''] }]
  const arms = alternatives(filters, NAMES).map(conditions =>
    allOf([...conditions, ...isAnyOf('id', filters.ids), ...key]),
  )
  const select = arms.map(({ sql }) => `${SELECT} where ${sql}`).join(' union ')
  return yield* all<ApiKeyRow>(`${select} order by name, id limit ?`, ...arms.flatMap(({ values }) => values), limit)
}

function* listById({ filters, after, limit }: Request): Program<readonly ApiKeyRow[]> {
  const where = allOf([{ sql: 'id > ?', values: [after ?? ''] }, ...isAnyOf('id', filters.ids)])
  return yield* all<ApiKeyRow>(`${SELECT} where ${where.sql} order by id limit ?`, ...where.values, limit)
}

/** At most `limit` after the one with the id `after`: by id, or where a name is asked for by that. */
export function* listApiKeys(request: Request): Program<readonly ApiKey[]> {
  const { name, namePrefix, search } = request.filters
  const isNamed = [name, namePrefix, search].some(filter => filter !== null)
  return (yield* isNamed ? listByName(request) : listById(request)).map(apiKeyOf)
}

const isLive = ({ expiresAt, revokedAt }: ApiKey, now: number): boolean =>
  revokedAt === null && !hasExpired(expiresAt, now)

/**
 * The API key that acts, as it is in this transaction: a key that has just been revoked as leaked must not make another secret.
 * Null where the actor is no API key.
 */
export function* liveCaller(
  { now }: Pick<Transaction, 'now'>,
  { actor }: Act,
): Program<ApiKey | 'caller_ended' | null> {
  if (actor.type !== 'api_key') return null
  const caller = yield* findOne('id = ? and suspended_at is null', actor.id)
  return caller !== undefined && isLive(caller, now) ? caller : 'caller_ended'
}

function* problemOfCaller(tx: Transaction, act: Act, expiresAt: number | null): Program<ApiKeyProblem | undefined> {
  const caller = yield* liveCaller(tx, act)
  if (caller === null) return undefined
  if (caller === 'caller_ended') return caller
  const outlives = caller.expiresAt !== null && (expiresAt === null || expiresAt > caller.expiresAt)
  return outlives ? 'outlives_caller' : undefined
}

/** The times of a secret that was just made. */
export const UNUSED = { lastUsedAt: null, revokedAt: null, suspendedAt: null } as const

const INSERT = `insert into api_key (id, name, key_hash, permissions, audiences, created_at, expires_at)
  values (?, ?, ?, ?, ?, ?, ?)`

function* insert(tx: Transaction, { keyHash, expiry, ...shown }: NewApiKey, act: Act): Program<ApiKey | ApiKeyProblem> {
  const expiresAt = expiresAtOf(expiry, tx.now)
  if (hasExpired(expiresAt, tx.now)) return 'expired'
  const problem = yield* problemOfCaller(tx, act, expiresAt)
  if (problem !== undefined) return problem
  const audiences = shown.audiences === null ? null : JSON.stringify(shown.audiences)
  const row = [shown.id, shown.name, bytesOfHex(keyHash), JSON.stringify(shown.permissions), audiences]
  yield* run(INSERT, ...row, tx.now, expiresAt)
  return { ...shown, createdAt: tx.now, expiresAt, ...UNUSED }
}

const described = ({ id, name, permissions, audiences, expiresAt }: ApiKey) => ({
  api_key: { id, name, permissions, audiences, expires_at: expiresAt },
})

type CreateApiKey = { readonly apiKey: NewApiKey; readonly act: Act }

function* makeApiKey(tx: Transaction, { apiKey, act }: CreateApiKey): Program<ApiKey | ApiKeyProblem> {
  const created = yield* insert(tx, apiKey, act)
  if (typeof created !== 'string') yield* audit(tx, act, created.id, described(created))
  return created
}

export const createApiKey = (tx: Transaction, create: CreateApiKey) =>
  once(tx, create.act, create.apiKey.id, () => makeApiKey(tx, create))

type RotateApiKey = {
  readonly rotation: Rotation<Pick<NewApiKey, 'id' | 'name' | 'keyHash' | 'expiry'>>
  readonly act: Act
}

/** Where two rotations without grace run at once, one succeeds; the other finds the old one revoked. */
function* replaceApiKey(
  tx: Transaction,
  { rotation, act }: RotateApiKey,
): Program<Rotated<ApiKey> | ApiKeyProblem | 'unknown' | 'not_live'> {
  const old = yield* showApiKey(rotation.id)
  if (old === undefined) return 'unknown'
  if (!isLive(old, tx.now)) return 'not_live'
  const { name, permissions, audiences } = old
  const replacement = yield* insert(tx, { ...rotation.replacement, name, permissions, audiences }, act)
  if (typeof replacement === 'string') return replacement
  const expiresAt = earlierExpiry(old.expiresAt, tx.now + rotation.graceMs)
  yield* run('update api_key set expires_at = ? where id = ?', expiresAt, old.id)
  const seq = yield* nextSeq(tx)
  const [before, after] = [{ expires_at: old.expiresAt }, { expires_at: expiresAt }]
  yield* audit(tx, act, old.id, { seq, before, after, replacement: described(replacement).api_key })
  return { replacement, replaced: { ...old, expiresAt } }
}

export const rotateApiKey = (tx: Transaction, rotate: RotateApiKey) =>
  once(tx, rotate.act, rotate.rotation.replacement.id, () => replaceApiKey(tx, rotate))

/** What the audit says of a revocation beside the act. */
type Revocation = { readonly act: Act; readonly reason?: 'secret_leaked' }

/** Undefined where it was revoked before: nothing changes then. */
export function* revokeKeyRow(
  tx: Transaction,
  apiKey: ApiKey,
  { act, reason }: Revocation,
): Program<ApiKey | undefined> {
  if (apiKey.revokedAt !== null) return undefined
  const seq = yield* nextSeq(tx)
  yield* run('update api_key set revoked_at = ? where id = ?', tx.now, apiKey.id)
  const found = reason === undefined ? {} : { reason, ...foundAtOf(act) }
  yield* audit(tx, act, apiKey.id, { seq, before: { revoked_at: null }, after: { revoked_at: tx.now }, ...found })
  return { ...apiKey, revokedAt: tx.now }
}

type RevokeApiKey = { readonly apiKeyId: string; readonly act: Act }

/** Refuses the key from the commit on. Revoking twice changes nothing. */
export function* revokeApiKey(tx: Transaction, { apiKeyId, act }: RevokeApiKey): Program<ApiKey | undefined> {
  const apiKey = yield* showApiKey(apiKeyId)
  return apiKey === undefined ? undefined : ((yield* revokeKeyRow(tx, apiKey, { act })) ?? apiKey)
}
