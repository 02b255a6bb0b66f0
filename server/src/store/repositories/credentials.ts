// Credentials in the store: reading them, and the acts that make and end them.
import type { Act } from '../../domain/audit/act.ts'
import type { Credential } from '../../domain/clients/agent.ts'
import { type ClientTrust, trustRecord } from '../../domain/clients/client-trust.ts'
import { type AgentCredential, CREDENTIALS_MAX } from '../../domain/clients/credential.ts'
import { earlierExpiry, expiresAtOf, hasExpired } from '../../domain/ledger/expiry.ts'
import type { Ending } from '../../domain/ledger/ends.ts'
import { NO_CONDITION } from '../../domain/ledger/ledger.ts'
import type {
  CredentialPage,
  CredentialProblem,
  CredentialRevocation,
  NewCredential,
  Rotated,
  Rotation,
  SubjectTaken,
} from '../../ports/secret-repositories.ts'
import { liveCaller, UNUSED } from './api-keys.ts'
import { endAll } from '../ledger/end-tokens.ts'
import { bytesOfHex, hexOfBytes } from '../rows.ts'
import { allOf, alternatives, oneOf } from '../lists/name-conditions.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { all, first, only, run, type Program } from '../statement-program.ts'
import { foundAtOf, audit, nextSeq, type Transaction } from '../transaction.ts'
import { once } from './idempotency.ts'
import { dropWorkload, keepWorkload, overlapping } from './workloads.ts'

/** `n` is the number that tokens name; `tokensKept`: it was revoked and its tokens live on. */
export type CredentialRow = AgentCredential & { readonly n: number; readonly tokensKept: 0 | 1 }

type StoredRow = Omit<CredentialRow, 'trust'> & { readonly trust: string | null }

// Written by this store alone, from a value of the type.
const trustOf = (json: string | null): ClientTrust | null => (json === null ? null : (JSON.parse(json) as ClientTrust))

const rowOf = (row: StoredRow | undefined): CredentialRow | undefined =>
  row === undefined ? undefined : { ...row, trust: trustOf(row.trust) }

const COLUMNS = `c.n, c.id, a.id as "agentId", c.name, c.created_at as "createdAt", c.expires_at as "expiresAt",
  c.last_used_at as "lastUsedAt", c.revoked_at as "revokedAt", c.suspended_at as "suspendedAt", c.tokens_kept as "tokensKept", c.trust,
  c.managed_by as "managedBy"`
const FROM = 'from credential c join agent a on a.n = c.agent'

export const credentialOf = ({ n: _n, tokensKept: _kept, ...credential }: CredentialRow): AgentCredential => credential

// Two selects, because no index has those first that never expire.
const USABLE_COLUMNS = `n as number, id, secret_hash as "secretHash", imported as "isImported",
  foreign_hash as "foreignHash", expires_at as "expiresAt", trust`
const USABLE = `select ${USABLE_COLUMNS} from credential
  where agent = ? and revoked_at is null and suspended_at is null and expires_at is`

type UsableRow = Omit<Credential, 'secretHash' | 'isImported' | 'trust'> & {
  readonly secretHash: Uint8Array
  readonly isImported: 0 | 1
  readonly trust: string | null
}

const usableOf = ({ secretHash, isImported, trust, ...row }: UsableRow): Credential => ({
  ...row,
  secretHash: hexOfBytes(secretHash),
  isImported: isImported === 1,
  trust: trustOf(trust),
})

/** What a request of this agent is compared with: all that live, and perhaps some that have expired. */
export function* readUsableCredentials(agent: number): Program<readonly Credential[]> {
  const lasting = yield* all<UsableRow>(`${USABLE} null limit ?`, agent, CREDENTIALS_MAX)
  const room = CREDENTIALS_MAX - lasting.length
  const passing = yield* all<UsableRow>(`${USABLE} not null order by expires_at desc limit ?`, agent, room)
  return [...lasting, ...passing].map(usableOf)
}

const TIMES = Array.from({ length: CREDENTIALS_MAX }, (_, n) => `(${n})`).join(', ')
const AGAIN = `select ${USABLE_COLUMNS} from (values ${TIMES}) as times cross join credential where n = ? limit ?`

/**
 * Returns the program that reads some credential again and again, and forgets it: as often as an agent could have more of
 * them. The time of a refusal does not say how many there are.
 */
export const makeMissingCredentials = (): ((known: readonly Credential[]) => Program<void>) => {
  let some: number | undefined
  return function* (known) {
    some ??= (yield* first<{ n: number }>('select n from credential limit 1'))?.n
    if (some === undefined) return
    const again = yield* all<UsableRow>(AGAIN, some, CREDENTIALS_MAX - known.length)
    again.map(usableOf)
  }
}

/** The number of an agent that is not deleted. */
export function* agentNumber(agentId: string): Program<number | undefined> {
  return (yield* first<{ n: number }>('select n from agent where id = ? and deleted_at is null', agentId))?.n
}

const OF_AGENT = `select ${COLUMNS} ${FROM} where c.id = ? and a.id = ? and a.deleted_at is null`

export function* readCredential(agentId: string, id: string): Program<CredentialRow | undefined> {
  return rowOf(yield* first<StoredRow>(OF_AGENT, id, agentId))
}

const BY_ID = `select ${COLUMNS} ${FROM} where c.id = ? and a.deleted_at is null`

export function* readCredentialById(id: string): Program<CredentialRow | undefined> {
  return rowOf(yield* first<StoredRow>(BY_ID, id))
}

const DECLARABLE = `select ${COLUMNS} ${FROM} where c.agent = ? and c.trust is not null
  and (case when c.revoked_at is null then c.name = ? or c.suspended_at is not null else c.managed_by is not null end)
  order by c.n desc`

/**
 * Those that are no secrets and matter to one that a file declares by this name: what is not revoked of the name, and under whatever name
 * what a restore suspended, and what a set made and a person revoked; newest first.
 */
export function* readDeclarableCredentials(agent: number, name: string): Program<readonly CredentialRow[]> {
  const rows = yield* all<StoredRow>(DECLARABLE, agent, name)
  return rows.map(row => ({ ...row, trust: trustOf(row.trust) }))
}

/** Whatever agent it is of, a deleted one included. */
export function* readCredentialByHash(secretHash: string): Program<CredentialRow | undefined> {
  return rowOf(yield* first<StoredRow>(`select ${COLUMNS} ${FROM} where c.secret_hash = ?`, bytesOfHex(secretHash)))
}

type ListRange = Omit<CredentialPage, 'audiences'> & { readonly agent: number }

/** Those of one agent are few: they are found among them. */
export function* listCredentials({ agent, names, after, limit }: ListRange): Program<readonly CredentialRow[]> {
  const from = after === null ? null : yield* first<{ n: number }>('select n from credential where id = ?', after)
  const range = { sql: 'c.agent = ? and c.n > ?', values: [agent, from?.n ?? 0] }
  const where = allOf([range, oneOf(alternatives(names, { id: 'c.id', name: 'c.name' }))])
  const select = `select ${COLUMNS} ${FROM} where ${where.sql} order by c.n limit ?`
  const rows = yield* all<StoredRow>(select, ...where.values, limit)
  return rows.map(row => ({ ...row, trust: trustOf(row.trust) }))
}

const LIVE = `select count(*) as count from credential
  where agent = ? and revoked_at is null and (expires_at is null or expires_at > ?)`

export function* countLiveCredentials(agent: number, now: Milliseconds): Program<number> {
  return (yield* only<{ count: number }>(LIVE, agent, now)).count
}

const INSERT = `insert into credential (agent, id, name, secret_hash, created_at, expires_at, trust)
  values (?, ?, ?, ?, ?, ?, ?) returning n`

type Insert = {
  readonly agent: number
  readonly agentId: string
  readonly credential: NewCredential
  readonly act: Act
}

function* insert(
  tx: Transaction,
  { agent, agentId, credential, act }: Insert,
): Program<AgentCredential | CredentialProblem | SubjectTaken> {
  if ((yield* liveCaller(tx, act)) === 'caller_ended') return 'caller_ended'
  const expiresAt = expiresAtOf(credential.expiry, tx.now)
  if (hasExpired(expiresAt, tx.now)) return 'expired'
  if ((yield* countLiveCredentials(agent, tx.now)) >= CREDENTIALS_MAX) return 'too_many'
  const { id, name, secretHash, trust = null } = credential
  const taken = trust?.kind === 'workload_identity' ? yield* overlapping(trust) : undefined
  if (taken !== undefined) return { taken }
  const row = [agent, id, name, bytesOfHex(secretHash ?? ''), tx.now, expiresAt]
  const { n } = yield* only<{ n: number }>(INSERT, ...row, trust === null ? null : JSON.stringify(trust))
  if (trust?.kind === 'workload_identity') yield* keepWorkload(trust, n)
  return { id, agentId, name, trust, createdAt: tx.now, expiresAt, managedBy: null, ...UNUSED }
}

type CreateCredential = { readonly agentId: string; readonly credential: NewCredential; readonly act: Act }

export function* makeCredential(
  tx: Transaction,
  { agentId, credential, act }: CreateCredential,
): Program<AgentCredential | CredentialProblem | SubjectTaken> {
  const agent = yield* agentNumber(agentId)
  if (agent === undefined) return 'unknown'
  const created = yield* insert(tx, { agent, agentId, credential, act })
  if (typeof created === 'string' || 'taken' in created) return created
  const { name, expiresAt, trust } = created
  yield* audit(tx, act, created.id, { agent_id: agentId, name, expires_at: expiresAt, ...trustRecord(trust) })
  return created
}

export const createCredential = (tx: Transaction, create: CreateCredential) =>
  once(tx, create.act, create.credential.id, () => makeCredential(tx, create))

type RotateCredential = {
  readonly agentId: string
  readonly rotation: Rotation<NewCredential>
  readonly act: Act
}

const EXPIRE = 'update credential set expires_at = ? where n = ?'

/** Where two rotations without grace run at once, one succeeds; the other finds the old one revoked. */
function* replaceCredential(
  tx: Transaction,
  { agentId, rotation, act }: RotateCredential,
): Program<Rotated<AgentCredential> | CredentialProblem | 'not_live' | 'no_secret'> {
  const row = yield* readCredential(agentId, rotation.id)
  const agent = yield* agentNumber(agentId)
  if (row === undefined || agent === undefined) return 'unknown'
  if (row.trust !== null) return 'no_secret'
  if (row.revokedAt !== null || hasExpired(row.expiresAt, tx.now)) return 'not_live'
  const expiresAt = earlierExpiry(row.expiresAt, tx.now + rotation.graceMs)
  yield* run(EXPIRE, expiresAt, row.n)
  const credential = { ...rotation.replacement, name: row.name }
  const replacement = yield* insert(tx, { agent, agentId, credential, act })
  if (typeof replacement === 'string' || 'taken' in replacement) {
    yield* run(EXPIRE, row.expiresAt, row.n)
    return typeof replacement === 'string' ? replacement : 'no_secret'
  }
  const seq = yield* nextSeq(tx)
  const [before, after] = [{ expires_at: row.expiresAt }, { expires_at: expiresAt }]
  yield* audit(tx, act, row.id, { seq, agent_id: agentId, before, after, replacement: replacement.id })
  return { replacement, replaced: { ...credentialOf(row), expiresAt } }
}

export const rotateCredential = (tx: Transaction, rotate: RotateCredential) =>
  once(tx, rotate.act, rotate.rotation.replacement.id, () => replaceCredential(tx, rotate))

type Revocation = Pick<CredentialRevocation, 'reason' | 'keepTokens'> & { readonly act: Act }

/** What a revocation ends. Undefined where it changes nothing: a repetition does, unless it ends tokens that the first one kept. */
export const endingsOfRevocation = (
  { n, revokedAt, tokensKept }: CredentialRow,
  { reason, keepTokens }: Pick<Revocation, 'reason' | 'keepTokens'>,
): readonly Ending[] | undefined => {
  if (revokedAt !== null && (keepTokens || tokensKept === 0)) return undefined
  return keepTokens ? [] : [{ conditions: { ...NO_CONDITION, credential: n }, reason }]
}

const REVOKE = 'update credential set revoked_at = ?, tokens_kept = ? where n = ?'

/** Returns undefined where nothing changed. */
export function* revokeRow(
  tx: Transaction,
  row: CredentialRow,
  revocation: Revocation,
): Program<CredentialRow | undefined> {
  const { reason, keepTokens, act } = revocation
  const endings = endingsOfRevocation(row, revocation)
  if (endings === undefined) return undefined
  // Ending its tokens takes a number, and so does refusing it.
  const [ending] = endings
  const seq = yield* ending === undefined ? nextSeq(tx) : endAll(tx, { ...ending, act })
  yield* dropWorkload(row.n)
  const revokedAt = row.revokedAt ?? tx.now
  const tokensKept = keepTokens ? 1 : 0
  yield* run(REVOKE, revokedAt, tokensKept, row.n)
  const before = { revoked_at: row.revokedAt }
  const after = { revoked_at: revokedAt, tokens_kept: keepTokens }
  yield* audit(tx, act, row.id, { seq, agent_id: row.agentId, reason, before, after, ...foundAtOf(act) })
  return { ...row, revokedAt, tokensKept }
}

type RevokeCredential = { readonly revocation: CredentialRevocation; readonly act: Act }

export function* revokeCredential(
  tx: Transaction,
  { revocation, act }: RevokeCredential,
): Program<AgentCredential | undefined> {
  const row = yield* readCredential(revocation.agentId, revocation.id)
  if (row === undefined) return undefined
  return credentialOf((yield* revokeRow(tx, row, { ...revocation, act })) ?? row)
}
