// Acts on signing keys. Each changes which key signs, or which are published, in one transaction with its audit row.
import type { Act } from '../../domain/audit/act.ts'
import { isPublishedLongEnough, type KeyRecord, keyIn, PUBLISHED_SECONDS_MIN } from '../../domain/keys/key-life.ts'
import type { AlreadyExists } from '../../domain/idempotency.ts'
import type { Ending } from '../../domain/ledger/ends.ts'
import { NO_CONDITION } from '../../domain/ledger/ledger.ts'
import type { SealedSigningKey } from '../../domain/keys/signing-key.ts'
import type { KeyChange } from '../../ports/signing-keys.ts'
import { endAll } from '../ledger/end-tokens.ts'
import { liveCaller } from '../repositories/api-keys.ts'
import { once } from '../repositories/idempotency.ts'
import { first, run, type Program } from '../statement-program.ts'
import { audit, nextSeq, type Transaction } from '../transaction.ts'
import { type InsertKey, insertKey, readKey, readKeysInLife, seenAt, writeKey } from './signing-keys.ts'

// Once a key has stopped signing its private half is erased: it is of use to an attacker alone.
const NO_KEY = new Uint8Array()
const RETAIN = `update signing_key set state = 'retained', signs_until = ?, steady_ms = 0, sealed_private_key = ?
  where n = ?`
const SIGN = `update signing_key set state = 'current', signs_from = ?, wanted = 0 where n = ?`
const LEAVE = `update signing_key set state = ?, gone_at = ?, wanted = 0, sealed_private_key = ?,
  signs_until = case when state = 'current' then ? else signs_until end where n = ?`

type Moment = Pick<Transaction, 'now'>

/** The key leaves the key set. */
export const leave = ({ now }: Moment, { number }: KeyRecord, as: 'gone' | 'compromised'): Program<number> =>
  run(LEAVE, as, now, NO_KEY, now, number)

/**
 * Makes the key the one that signs, and retains the one before. It takes a number of the service, so that a token that was decided
 * on under the old key and is not written yet is refused, and decided on again.
 */
export function* promote(tx: Moment, next: KeyRecord): Program<number> {
  const seq = yield* nextSeq(tx)
  const current = keyIn(yield* readKeysInLife(), 'current')
  if (current !== undefined) yield* run(RETAIN, tx.now, NO_KEY, current.number)
  yield* run(SIGN, tx.now, next.number)
  return seq
}

const kidOf = (key: KeyRecord | undefined): string | null => key?.publicJwk.kid ?? null

/** Returns the time until which verifiers may not know a key that signs from now on; null if all know it. */
const unknownUntil = ({ now }: Moment, key: KeyRecord): number | null =>
  isPublishedLongEnough(key) ? null : now + 1000 * PUBLISHED_SECONDS_MIN - key.steadyMs

/** Returns the state of the keys after an act on the one with this `kid`. */
function* changeOf(tx: Moment, kid: string, until: number | null = null): Program<KeyChange> {
  const keys = yield* readKeysInLife()
  const [key, current] = [yield* readKey(kid), keyIn(keys, 'current')]
  if (key === undefined || current === undefined) throw new Error('No signing key is current.')
  return { ...(yield* seenAt(tx, keys)), key, current, unknownUntil: until }
}

/** The key that follows, and what the audit of the act is to hold of it where the act made it. */
type Following = { readonly next: KeyRecord; readonly detail: { readonly made?: object } }

/** The next key, or the candidate in its place: one act, and so one entry of the audit. */
function* successor(tx: Transaction, candidate: SealedSigningKey | null): Program<Following | undefined> {
  const next = keyIn(yield* readKeysInLife(), 'next')
  if (next !== undefined) return { next, detail: {} }
  if (candidate === null) return undefined
  const made = yield* writeKey(tx, candidate, { state: 'next', imported: false })
  const written = yield* readKey(candidate.publicJwk.kid)
  return written && { next: written, detail: { made } }
}

export function* createNextKey(tx: Transaction, insert: InsertKey): Program<'created' | 'already_exists'> {
  if (keyIn(yield* readKeysInLife(), 'next') !== undefined) return 'already_exists'
  yield* insertKey(tx, insert, { state: 'next', imported: false })
  return 'created'
}

const KNOWN = 'select 1 as found from signing_key where kid = ? or thumbprint = ?'

/** A key that was compromised cannot come back under another name: its thumbprint stays. */
function* takeIn(tx: Transaction, insert: InsertKey): Program<KeyChange | 'known' | 'caller_ended'> {
  const { publicJwk, thumbprint } = insert.key
  if ((yield* first(KNOWN, publicJwk.kid, thumbprint)) !== undefined) return 'known'
  if ((yield* liveCaller(tx, insert.act)) === 'caller_ended') return 'caller_ended'
  const replaced = keyIn(yield* readKeysInLife(), 'next')
  if (replaced !== undefined) {
    yield* leave(tx, replaced, 'gone')
    const drop = { ...insert.act, kind: 'signing_key.drop' } as const
    yield* audit(tx, drop, kidOf(replaced), { replaced_by: publicJwk.kid })
  }
  yield* insertKey(tx, insert, { state: 'next', imported: true })
  return yield* changeOf(tx, publicJwk.kid)
}

export const importKey = (
  tx: Transaction,
  insert: InsertKey,
): Program<KeyChange | 'known' | 'caller_ended' | AlreadyExists> =>
  once(tx, insert.act, insert.key.publicJwk.kid, () => takeIn(tx, insert))

type Succession = { readonly candidate: SealedSigningKey | null; readonly act: Act }

type RotateKey = Succession & { readonly force: boolean }

/** Rotates now, or notes that somebody wants it. */
function* succeed(tx: Transaction, { next, detail }: Following, { force, act }: RotateKey): Program<KeyChange> {
  const before = keyIn(yield* readKeysInLife(), 'current')
  const { kid } = next.publicJwk
  if (!force && !isPublishedLongEnough(next)) {
    if (next.wanted) return yield* changeOf(tx, kid)
    const seq = yield* nextSeq(tx)
    yield* run('update signing_key set wanted = 1 where n = ?', next.number)
    yield* audit(tx, act, kid, { seq, ...detail, before: { wanted: false }, after: { wanted: true } })
    return yield* changeOf(tx, kid)
  }
  const until = unknownUntil(tx, next)
  const seq = yield* promote(tx, next)
  yield* audit(tx, act, kid, { seq, force, ...detail, before: { current: kidOf(before) }, after: { current: kid } })
  return yield* changeOf(tx, kid, until)
}

function* rotateNow(tx: Transaction, rotate: RotateKey): Program<KeyChange | 'no_next'> {
  const following = yield* successor(tx, rotate.candidate)
  return following === undefined ? 'no_next' : yield* succeed(tx, following, rotate)
}

export function* rotateKey(tx: Transaction, rotate: RotateKey): Program<KeyChange | 'no_next' | AlreadyExists> {
  const next = keyIn(yield* readKeysInLife(), 'next')
  const kid = kidOf(next) ?? rotate.candidate?.publicJwk.kid ?? ''
  return yield* once(tx, rotate.act, kid, () => rotateNow(tx, rotate))
}

type RetireKey = RotateKey & { readonly kid: string }

/** A key that does not sign any more is not changed. */
export function* retireKey(tx: Transaction, retire: RetireKey): Program<KeyChange | 'unknown' | 'no_next'> {
  const key = yield* readKey(retire.kid)
  if (key === undefined) return 'unknown'
  if (key.state === 'next') {
    const seq = yield* nextSeq(tx)
    yield* leave(tx, key, 'gone')
    yield* audit(tx, retire.act, retire.kid, { seq, before: { state: 'next' }, after: { state: 'gone' } })
  }
  if (key.state !== 'current') return yield* changeOf(tx, retire.kid)
  const following = yield* successor(tx, retire.candidate)
  if (following === undefined) return 'no_next'
  const { unknownUntil: until } = yield* succeed(tx, following, retire)
  return yield* changeOf(tx, retire.kid, until)
}

type CompromiseKey = Succession & { readonly kid: string; readonly revocationId: string }

/** What ends with it: nothing where the key is compromised already. */
export const endingsOfCompromise = ({ number, state }: KeyRecord): readonly Ending[] =>
  state === 'compromised' ? [] : [{ conditions: { ...NO_CONDITION, key: number }, reason: 'key_compromise' }]

/** Marks a key as compromised. Of two callers the second changes nothing. */
export function* compromiseKey(tx: Transaction, compromise: CompromiseKey): Program<KeyChange | 'unknown' | 'no_next'> {
  const { kid, candidate, revocationId, act } = compromise
  const key = yield* readKey(kid)
  if (key === undefined) return 'unknown'
  const [ending] = endingsOfCompromise(key)
  if (ending === undefined) return yield* changeOf(tx, kid)
  const following = key.state === 'current' ? yield* successor(tx, candidate) : null
  if (following === undefined) return 'no_next'
  const { next = null, detail = {} } = following ?? {}
  yield* leave(tx, key, 'compromised')
  const until = next === null ? null : unknownUntil(tx, next)
  if (next !== null) yield* promote(tx, next)
  const seq = yield* endAll(tx, { ...ending, act, revocationId })
  const after = { state: 'compromised', revocation_id: revocationId, ...(next !== null && { current: kidOf(next) }) }
  yield* audit(tx, act, kid, { seq, ...detail, before: { state: key.state }, after })
  return yield* changeOf(tx, kid, until)
}
