// Sessions of operators in the store: a row each, until it has ended.
import type { Act } from '../../domain/audit/act.ts'
import { hasSessionEnded, SESSION_IDLE_MS_MAX, SESSION_MS_MAX, type Session } from '../../domain/clients/session.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { Sha256 } from '../../domain/text/text.ts'
import type { FoundSession, KeptSession, NewSession, SessionBefore } from '../../ports/sessions.ts'
import { bytesOfHex } from '../rows.ts'
import { all, first, run, type Program } from '../statement-program.ts'
import { audit, type Transaction } from '../transaction.ts'

/** The sessions of one operator; beyond this number the oldest end. */
const SESSIONS_OF_OPERATOR_MAX = 20

/** How long one may take to renew a session before another may: a process that ended in the middle releases nothing. */
const CLAIM_MS = 15_000

const COLUMNS = `id, iss, sub, name, created_at as "createdAt", used_at as "usedAt", expires_at as "expiresAt"`
const KEPT = `sealed_tokens as "sealedTokens", renewing_until as "renewingUntil"`

type Seen = { readonly now: Milliseconds }

export function* findSession({ now }: Seen, secretHash: Sha256): Program<FoundSession | undefined> {
  const text = `select ${COLUMNS}, ${KEPT} from session where secret_hash = ?`
  const session = yield* first<KeptSession>(text, bytesOfHex(secretHash))
  return session === undefined || hasSessionEnded(session, now) ? undefined : { session, now }
}

export const listSessions = ({ now }: Seen, after: string | null, limit: number): Program<readonly Session[]> =>
  all<Session>(
    `select ${COLUMNS} from session where id > ? and created_at > ? and used_at > ? order by id limit ?`,
    after ?? '',
    now - SESSION_MS_MAX,
    now - SESSION_IDLE_MS_MAX,
    limit,
  )

const INSERT = `insert into session
  (id, secret_hash, iss, sub, name, sealed_tokens, created_at, used_at, expires_at, renewing_until)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`

const FORGET_OLDEST = `delete from session where id in
  (select id from session where iss = ? and sub = ? order by created_at desc, id desc limit 1000 offset ?)`

type CreateSession = { readonly session: NewSession; readonly act: Act; readonly before: SessionBefore | null }

function* endBefore(tx: Transaction, { secretHash, act }: SessionBefore): Program<void> {
  const text = `delete from session where secret_hash = ? returning ${COLUMNS}`
  const session = yield* first<Session>(text, bytesOfHex(secretHash))
  if (session !== undefined && !hasSessionEnded(session, tx.now)) yield* auditEnd(tx, act, session)
}

const auditEnd = (tx: Transaction, act: Act, { id, iss, sub }: Session) =>
  audit(tx, act, id, { operator: { iss, sub } })

export function* createSession(tx: Transaction, { session, act, before }: CreateSession): Program<null> {
  const { id, secretHash, iss, sub, name, sealedTokens, expiresAt } = session
  if (before !== null) yield* endBefore(tx, before)
  yield* run(INSERT, id, bytesOfHex(secretHash), iss, sub, name, sealedTokens, tx.now, tx.now, expiresAt)
  yield* run(FORGET_OLDEST, iss, sub, SESSIONS_OF_OPERATOR_MAX)
  yield* audit(tx, act, id, {})
  return null
}

/** A use is written where the one before it is at least so old. */
export const SESSION_USE_STEP_MS = 60_000

export function* noteSessionUse({ now }: Transaction, id: string): Program<null> {
  yield* run('update session set used_at = ? where id = ? and used_at <= ?', now, id, now - SESSION_USE_STEP_MS)
  return null
}

type ClaimRenewal = Pick<KeptSession, 'id' | 'sealedTokens'>

// As it was read: a process that read it before another renewed it would present a refresh token that is used up.
export function* claimRenewal(tx: Transaction, { id, sealedTokens }: ClaimRenewal): Program<Milliseconds | undefined> {
  const text = 'update session set renewing_until = ? where id = ? and renewing_until <= ? and sealed_tokens = ?'
  const until = tx.now + CLAIM_MS
  return (yield* run(text, until, id, tx.now, sealedTokens)) === 1 ? until : undefined
}

type ReleaseRenewal = { readonly id: string; readonly claim: Milliseconds; readonly againAt: Milliseconds }

// Only the claim of this caller: once it is over, another request may have claimed the renewal.
export function* releaseRenewal(_tx: Transaction, { id, claim, againAt }: ReleaseRenewal): Program<null> {
  yield* run('update session set renewing_until = ? where id = ? and renewing_until = ?', againAt, id, claim)
  return null
}

type RenewSession = Pick<NewSession, 'id' | 'sealedTokens' | 'expiresAt'> & { readonly claim: Milliseconds }

// Only under the claim of this caller: a later claim has a newer JWT, and an older one may have a role that was withdrawn.
export function* renewSession(_tx: Transaction, { id, claim, sealedTokens, expiresAt }: RenewSession): Program<null> {
  const text = `update session set sealed_tokens = ?, expires_at = ?, renewing_until = 0
    where id = ? and renewing_until = ?`
  yield* run(text, sealedTokens, expiresAt, id, claim)
  return null
}

type EndSession = { readonly id: string; readonly act: Act }

export function* endSession(tx: Transaction, { id, act }: EndSession): Program<Session | undefined> {
  const session = yield* first<Session>(`delete from session where id = ? returning ${COLUMNS}`, id)
  if (session === undefined) return undefined
  yield* auditEnd(tx, act, session)
  return session
}

const STEP_ROWS = 500
const OVER = 'created_at <= ? or used_at <= ?'
const limitsAt = (now: Milliseconds) => [now - SESSION_MS_MAX, now - SESSION_IDLE_MS_MAX] as const

export function* areSessionsOver(now: Milliseconds): Program<boolean> {
  return (yield* first(`select 1 as found from session where ${OVER} limit 1`, ...limitsAt(now))) !== undefined
}

/** One step of those that have ended by time; whether there may be more to do. */
export function* removeSessions({ now }: Seen): Program<'more' | 'nothing_left'> {
  const text = `delete from session where id in (select id from session where ${OVER} limit ?)`
  return (yield* run(text, ...limitsAt(now), STEP_ROWS)) < STEP_ROWS ? 'nothing_left' : 'more'
}

/** After the clock was set back: what began by another clock lies in the future. */
export const dropAllSessions = (): Program<number> => run('delete from session')
