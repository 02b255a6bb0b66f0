// Credentials in the store: reading them, and the acts that make and end them.
import type { Act } from '../../domain/act.ts'
import type { Credential } from '../../domain/agent.ts'
import { type ClientTrust, trustRecord } from '../../domain/client-trust.ts'
import { type AgentCredential, CREDENTIALS_MAX } from '../../domain/credential.ts'
import { earlierExpiry, expiresAtOf, hasExpired } from '../../domain/expiry.ts'
import { NO_CONDITION } from '../../domain/ledger.ts'
import type {
  CredentialProblem,
  CredentialRevocation,
  NewCredential,
  Rotated,
  Rotation,
} from '../../ports/secret-registers.ts'
import type { SubjectTaken } from '../../ports/secret-registers.ts'
import { liveCaller } from './api-keys.ts'
import { endAll } from '../ledger/end-tokens.ts'
import { once } from './idempotency.ts'
import type { Statements } from '../sqlite/statements.ts'
import type { Transaction } from '../sqlite/transaction.ts'
import { dropWorkload, keepWorkload, overlapping } from './workloads.ts'

/** `n` is the number that tokens name; `tokensKept`: it was revoked and its tokens live on. */
export type CredentialRow = AgentCredential & { readonly n: number; readonly tokensKept: 0 | 1 }

type StoredRow = Omit<CredentialRow, 'trust'> & { readonly trust: string | null }

// Written by this store alone, from a value of the type.
const trustOf = (json: string | null): ClientTrust | null => (json === null ? null : (JSON.parse(json) as ClientTrust))

const rowOf = (row: StoredRow | undefined): CredentialRow | undefined =>
  row === undefined ? undefined : { ...row, trust: trustOf(row.trust) }

const COLUMNS = `c.n, c.id, a.id as agentId, c.name, c.created_at as createdAt, c.expires_at as expiresAt,
  c.last_used_at as lastUsedAt, c.revoked_at as revokedAt, c.tokens_kept as tokensKept, c.trust`
const FROM = 'from credential c join agent a on a.n = c.agent'

export const credentialOf = ({ n: _n, tokensKept: _kept, ...credential }: CredentialRow): AgentCredential => credential

// Two selects, because no index has those first that never expire.
const USABLE = `select n as number, id, lower(hex(secret_hash)) as secretHash, imported as isImported,
  foreign_hash as foreignHash, expires_at as expiresAt, trust from credential
  where agent = ? and revoked_at is null and expires_at is`

type UsableRow = Omit<Credential, 'isImported' | 'trust'> & {
  readonly isImported: 0 | 1
  readonly trust: string | null
}

/** What a request of this agent is compared with: all that live, and perhaps some that have expired. */
export const readUsableCredentials = (sql: Statements, agent: number): readonly Credential[] => {
  const lasting = sql<UsableRow>(`${USABLE} null limit ?`).all(agent, CREDENTIALS_MAX)
  const room = CREDENTIALS_MAX - lasting.length
  const passing = sql<UsableRow>(`${USABLE} not null order by expires_at desc limit ?`).all(agent, room)
  return [...lasting, ...passing].map(row => ({ ...row, isImported: row.isImported === 1, trust: trustOf(row.trust) }))
}

/** The number of an agent that is not deleted. */
export const agentNumber = (sql: Statements, agentId: string): number | undefined =>
  sql<{ n: number }>('select n from agent where id = ? and deleted_at is null').get(agentId)?.n

export const readCredential = (sql: Statements, agentId: string, id: string): CredentialRow | undefined =>
  rowOf(
    sql<StoredRow>(`select ${COLUMNS} ${FROM} where c.id = ? and a.id = ? and a.deleted_at is null`).get(id, agentId),
  )

/** Whatever agent it is of, a deleted one included. */
export const readCredentialByHash = (sql: Statements, secretHash: string): CredentialRow | undefined =>
  rowOf(sql<StoredRow>(`select ${COLUMNS} ${FROM} where c.secret_hash = unhex(?)`).get(secretHash))

type ListRange = { readonly agent: number; readonly after: string | null; readonly limit: number }

export const listCredentials = (sql: Statements, { agent, after, limit }: ListRange): readonly CredentialRow[] => {
  const from = after === null ? 0 : sql<{ n: number }>('select n from credential where id = ?').get(after)?.n
  const select = `select ${COLUMNS} ${FROM} where c.agent = ? and c.n > ? order by c.n limit ?`
  return sql<StoredRow>(select)
    .all(agent, from ?? 0, limit)
    .map(row => ({ ...row, trust: trustOf(row.trust) }))
}

const LIVE = `select count(*) as count from credential
  where agent = ? and revoked_at is null and (expires_at is null or expires_at > ?)`

const hasRoom = ({ sql, now }: Transaction, agent: number): boolean =>
  (sql<{ count: number }>(LIVE).get(agent, now)?.count ?? 0) < CREDENTIALS_MAX

const INSERT = `insert into credential (agent, id, name, secret_hash, created_at, expires_at, trust)
  values (?, ?, ?, unhex(?), ?, ?, ?)`

type Insert = {
  readonly agent: number
  readonly agentId: string
  readonly credential: NewCredential
  readonly act: Act
}

const insert = (
  tx: Transaction,
  { agent, agentId, credential, act }: Insert,
): AgentCredential | CredentialProblem | SubjectTaken => {
  if (liveCaller(tx, act) === 'caller_ended') return 'caller_ended'
  const expiresAt = expiresAtOf(credential.expiry, tx.now)
  if (hasExpired(expiresAt, tx.now)) return 'expired'
  if (!hasRoom(tx, agent)) return 'too_many'
  const { id, name, secretHash, trust = null } = credential
  const taken = trust?.kind === 'workload_identity' ? overlapping(tx.sql, trust) : undefined
  if (taken !== undefined) return { taken }
  const json = trust === null ? null : JSON.stringify(trust)
  const { lastInsertRowid } = tx.sql(INSERT).run(agent, id, name, secretHash ?? '', tx.now, expiresAt, json)
  if (trust?.kind === 'workload_identity') keepWorkload(tx.sql, trust, Number(lastInsertRowid))
  return { id, agentId, name, trust, createdAt: tx.now, expiresAt, lastUsedAt: null, revokedAt: null }
}

export type CreateCredential = { readonly agentId: string; readonly credential: NewCredential; readonly act: Act }

const makeCredential = (
  tx: Transaction,
  { agentId, credential, act }: CreateCredential,
): AgentCredential | CredentialProblem | SubjectTaken => {
  const agent = agentNumber(tx.sql, agentId)
  if (agent === undefined) return 'unknown'
  const created = insert(tx, { agent, agentId, credential, act })
  if (typeof created === 'string' || 'taken' in created) return created
  const { name, expiresAt, trust } = created
  tx.audit(act, created.id, { agent_id: agentId, name, expires_at: expiresAt, ...trustRecord(trust) })
  return created
}

export const createCredential = (tx: Transaction, create: CreateCredential) =>
  once(tx, create.act, create.credential.id, () => makeCredential(tx, create))

export type RotateCredential = {
  readonly agentId: string
  readonly rotation: Rotation<NewCredential>
  readonly act: Act
}

/** Of two callers without grace one rotates; the other finds that the old one lives no more. */
const replaceCredential = (
  tx: Transaction,
  { agentId, rotation, act }: RotateCredential,
): Rotated<AgentCredential> | CredentialProblem | 'not_live' | 'no_secret' => {
  const row = readCredential(tx.sql, agentId, rotation.id)
  const agent = agentNumber(tx.sql, agentId)
  if (row === undefined || agent === undefined) return 'unknown'
  if (row.trust !== null) return 'no_secret'
  if (row.revokedAt !== null || hasExpired(row.expiresAt, tx.now)) return 'not_live'
  const expiresAt = earlierExpiry(row.expiresAt, tx.now + rotation.graceMs)
  const shorten = tx.sql('update credential set expires_at = ? where n = ?')
  shorten.run(expiresAt, row.n)
  const replacement = insert(tx, { agent, agentId, credential: { ...rotation.replacement, name: row.name }, act })
  if (typeof replacement === 'string' || 'taken' in replacement) {
    shorten.run(row.expiresAt, row.n)
    return typeof replacement === 'string' ? replacement : 'no_secret'
  }
  const seq = tx.nextSeq()
  const [before, after] = [{ expires_at: row.expiresAt }, { expires_at: expiresAt }]
  tx.audit(act, row.id, { seq, agent_id: agentId, before, after, replacement: replacement.id })
  return { replacement, replaced: { ...credentialOf(row), expiresAt } }
}

export const rotateCredential = (tx: Transaction, rotate: RotateCredential) =>
  once(tx, rotate.act, rotate.rotation.replacement.id, () => replaceCredential(tx, rotate))

type Revocation = Pick<CredentialRevocation, 'reason' | 'keepTokens'> & {
  readonly act: Act
  /** Where a leaked secret was found. */
  readonly foundAt?: string | null
}

// Ending its tokens takes a number, and so does refusing it.
const refuseFrom = (tx: Transaction, row: CredentialRow, { reason, keepTokens, act }: Revocation): number =>
  keepTokens ? tx.nextSeq() : endAll(tx, { conditions: { ...NO_CONDITION, credential: row.n }, reason, act })

/** Revoking again changes nothing, unless it ends the tokens that the first time kept. Undefined: nothing changed. */
export const revokeRow = (tx: Transaction, row: CredentialRow, revocation: Revocation): CredentialRow | undefined => {
  const { reason, keepTokens, act, foundAt } = revocation
  if (row.revokedAt !== null && (keepTokens || row.tokensKept === 0)) return undefined
  const seq = refuseFrom(tx, row, revocation)
  dropWorkload(tx.sql, row.n)
  const revokedAt = row.revokedAt ?? tx.now
  const tokensKept = keepTokens ? 1 : 0
  tx.sql('update credential set revoked_at = ?, tokens_kept = ? where n = ?').run(revokedAt, tokensKept, row.n)
  const before = { revoked_at: row.revokedAt }
  const after = { revoked_at: revokedAt, tokens_kept: keepTokens }
  const found = foundAt === undefined ? {} : { found_at: foundAt }
  tx.audit(act, row.id, { seq, agent_id: row.agentId, reason, before, after, ...found })
  return { ...row, revokedAt, tokensKept }
}

export type RevokeCredential = { readonly revocation: CredentialRevocation; readonly act: Act }

export const revokeCredential = (
  tx: Transaction,
  { revocation, act }: RevokeCredential,
): AgentCredential | undefined => {
  const row = readCredential(tx.sql, revocation.agentId, revocation.id)
  if (row === undefined) return undefined
  return credentialOf(revokeRow(tx, row, { ...revocation, act }) ?? row)
}
