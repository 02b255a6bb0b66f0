// Acts on signing keys. Each changes which key signs, or which are published, in one transaction with its audit row.
import type { Act } from '../../domain/act.ts'
import { once } from '../registers/idempotency.ts'
import { isPublishedLongEnough, type KeyRecord, keyIn, PUBLISHED_SECONDS_MIN } from '../../domain/key-life.ts'
import type { MadeBefore } from '../../domain/idempotency.ts'
import { NO_CONDITION } from '../../domain/ledger.ts'
import type { SealedSigningKey } from '../../domain/signing-key.ts'
import type { KeyChange } from '../../ports/signing-keys.ts'
import { liveCaller } from '../registers/api-keys.ts'
import { endAll } from '../ledger/end-tokens.ts'
import { type InsertKey, insertKey, readKey, readKeysInLife, seenAt } from './signing-keys.ts'
import type { Transaction } from '../sqlite/transaction.ts'

// A key that signs no more needs its private half no more, and nobody else does.
const RETAIN = `update signing_key set state = 'retained', signs_until = ?, steady_ms = 0, sealed_private_key = x''
  where n = ?`
const SIGN = `update signing_key set state = 'current', signs_from = ?, wanted = 0 where n = ?`
const LEAVE = `update signing_key set state = ?, gone_at = ?, wanted = 0, sealed_private_key = x'',
  signs_until = case when state = 'current' then ? else signs_until end where n = ?`

/** The key leaves the key set. */
export const leave = ({ sql, now }: Transaction, { number }: KeyRecord, as: 'gone' | 'compromised'): void =>
  void sql(LEAVE).run(as, now, now, number)

/**
 * The key signs, and the one that did is retained. The number that it takes turns back every token that was decided on
 * under the old key and is not written yet.
 */
export const promote = (tx: Transaction, next: KeyRecord): number => {
  const seq = tx.nextSeq()
  const current = keyIn(readKeysInLife(tx.sql), 'current')
  if (current !== undefined) tx.sql(RETAIN).run(tx.now, current.number)
  tx.sql(SIGN).run(tx.now, next.number)
  return seq
}

const kidOf = (key: KeyRecord | undefined): string | null => key?.publicJwk.kid ?? null

/** Until when verifiers may not know a key that signs from now on; null where all do. */
const unknownUntil = ({ now }: Transaction, key: KeyRecord): number | null =>
  isPublishedLongEnough(key) ? null : now + 1000 * PUBLISHED_SECONDS_MIN - key.steadyMs

/** How the keys stand after an act on the one with this `kid`. */
const changeOf = (tx: Transaction, kid: string, until: number | null = null): KeyChange => {
  const keys = readKeysInLife(tx.sql)
  const [key, current] = [readKey(tx.sql, kid), keyIn(keys, 'current')]
  if (key === undefined || current === undefined) throw new Error('No signing key is current.')
  return { ...seenAt(tx, keys), key, current, unknownUntil: until }
}

/** The next key, or the candidate in its place. */
const successor = (tx: Transaction, candidate: SealedSigningKey | null, act: Act): KeyRecord | undefined => {
  const next = keyIn(readKeysInLife(tx.sql), 'next')
  if (next !== undefined || candidate === null) return next
  insertKey(tx, { key: candidate, act: { ...act, kind: 'signing_key.create' } }, { state: 'next', imported: false })
  return readKey(tx.sql, candidate.publicJwk.kid)
}

export const createNextKey = (tx: Transaction, insert: InsertKey): 'created' | 'already_exists' => {
  if (keyIn(readKeysInLife(tx.sql), 'next') !== undefined) return 'already_exists'
  insertKey(tx, insert, { state: 'next', imported: false })
  return 'created'
}

const KNOWN = 'select 1 from signing_key where kid = ? or thumbprint = ?'

/** A key that was compromised cannot come back under another name: its thumbprint stays. */
export const importKey = (tx: Transaction, insert: InsertKey): KeyChange | 'known' | 'caller_ended' | MadeBefore =>
  once(tx, insert.act, insert.key.publicJwk.kid, () => {
    const { publicJwk, thumbprint } = insert.key
    if (tx.sql(KNOWN).get(publicJwk.kid, thumbprint) !== undefined) return 'known'
    if (liveCaller(tx, insert.act) === 'caller_ended') return 'caller_ended'
    const replaced = keyIn(readKeysInLife(tx.sql), 'next')
    if (replaced !== undefined) {
      leave(tx, replaced, 'gone')
      tx.audit({ ...insert.act, kind: 'signing_key.drop' }, kidOf(replaced), { replaced_by: publicJwk.kid })
    }
    insertKey(tx, insert, { state: 'next', imported: true })
    return changeOf(tx, publicJwk.kid)
  })

type Succession = { readonly candidate: SealedSigningKey | null; readonly act: Act }

export type RotateKey = Succession & { readonly force: boolean }

/** Rotates now, or notes that somebody wants it. */
const succeed = (tx: Transaction, next: KeyRecord, { force, act }: RotateKey): KeyChange => {
  const before = keyIn(readKeysInLife(tx.sql), 'current')
  const { kid } = next.publicJwk
  if (!force && !isPublishedLongEnough(next)) {
    if (next.wanted) return changeOf(tx, kid)
    const seq = tx.nextSeq()
    tx.sql('update signing_key set wanted = 1 where n = ?').run(next.number)
    tx.audit(act, kid, { seq, before: { wanted: false }, after: { wanted: true } })
    return changeOf(tx, kid)
  }
  const until = unknownUntil(tx, next)
  const seq = promote(tx, next)
  tx.audit(act, kid, { seq, force, before: { current: kidOf(before) }, after: { current: kid } })
  return changeOf(tx, kid, until)
}

export const rotateKey = (tx: Transaction, rotate: RotateKey): KeyChange | 'no_next' | MadeBefore => {
  const next = keyIn(readKeysInLife(tx.sql), 'next')
  return once(tx, rotate.act, kidOf(next) ?? rotate.candidate?.publicJwk.kid ?? '', () => {
    const following = successor(tx, rotate.candidate, rotate.act)
    return following === undefined ? 'no_next' : succeed(tx, following, rotate)
  })
}

export type RetireKey = RotateKey & { readonly kid: string }

/** A key that does not sign any more is not changed. */
export const retireKey = (tx: Transaction, retire: RetireKey): KeyChange | 'unknown' | 'no_next' => {
  const key = readKey(tx.sql, retire.kid)
  if (key === undefined) return 'unknown'
  if (key.state === 'next') {
    const seq = tx.nextSeq()
    leave(tx, key, 'gone')
    tx.audit(retire.act, retire.kid, { seq, before: { state: 'next' }, after: { state: 'gone' } })
  }
  if (key.state !== 'current') return changeOf(tx, retire.kid)
  const next = successor(tx, retire.candidate, retire.act)
  if (next === undefined) return 'no_next'
  const { unknownUntil: until } = succeed(tx, next, retire)
  return changeOf(tx, retire.kid, until)
}

export type CompromiseKey = Succession & { readonly kid: string; readonly revocationId: string }

/** Of two callers the second changes nothing. */
export const compromiseKey = (tx: Transaction, compromise: CompromiseKey): KeyChange | 'unknown' | 'no_next' => {
  const { kid, candidate, revocationId, act } = compromise
  const key = readKey(tx.sql, kid)
  if (key === undefined) return 'unknown'
  if (key.state === 'compromised') return changeOf(tx, kid)
  const next = key.state === 'current' ? successor(tx, candidate, act) : null
  if (next === undefined) return 'no_next'
  leave(tx, key, 'compromised')
  const until = next === null ? null : unknownUntil(tx, next)
  if (next !== null) promote(tx, next)
  const conditions = { ...NO_CONDITION, key: key.number }
  const seq = endAll(tx, { conditions, reason: 'key_compromise', act, revocationId })
  const after = { state: 'compromised', revocation_id: revocationId, ...(next !== null && { current: kidOf(next) }) }
  tx.audit(act, kid, { seq, before: { state: key.state }, after })
  return changeOf(tx, kid, until)
}
