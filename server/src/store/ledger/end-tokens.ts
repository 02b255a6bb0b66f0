// Ends tokens early. A row moves from `token` to `ended` in one transaction, so that there is exactly one record.
import type { Act } from '../../domain/act.ts'
import type { TokenAddress } from '../../domain/claims.ts'
import { type CutOff, type CutOffConditions, causeOfEnd } from '../../domain/ledger.ts'
import { Unavailable } from '../../domain/refusal.ts'
import { type EndingReason, REASONS } from '../../domain/reason.ts'
import { readOpenCutOffs } from './cut-offs.ts'
import { bytesOfId } from '../sqlite/rows.ts'
import { expiryOf, ledgerTokenOf, TOKEN_COLUMNS, type TokenRow } from './token-rows.ts'
import type { Transaction } from '../sqlite/transaction.ts'
import { type Covered, walkCovered } from './walk.ts'

/** An act that covers at most so many tokens moves their rows at once; a larger one leaves them to the fill. */
export const MOVED_AT_ONCE_MAX = 64
/** Compound cut-offs that may be open at once: each look-up compares them all. */
const COMPOUND_OPEN_MAX = 64

type Ending = { readonly at: number; readonly reason: EndingReason; readonly act: number }

const MOVE = `insert into ended (id, life, agent, cred, key, scope, aud, at, reason, act)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const moveToEnded = ({ sql }: Transaction, row: TokenRow, { at, reason, act }: Ending): void => {
  sql('delete from token where life = ? and id = ?').run(row.life, row.id)
  const values = [row.id, row.life, row.agent, row.cred, row.key, row.scope, row.aud]
  sql(MOVE).run(...values, at, REASONS[reason], act)
}

/** Ends live tokens whose rows were read in this transaction. */
export const endRows = (tx: Transaction, rows: readonly TokenRow[], ending: Omit<Ending, 'at'>): void => {
  for (const row of rows) {
    moveToEnded(tx, row, { ...ending, at: tx.now })
    tx.live.wasEnded(row.agent, expiryOf(row))
  }
}

/** Moves rows that cut-offs ended, each with the reason of its own, and counts them there. */
export const moveCovered = (tx: Transaction, covered: readonly Covered[]): void => {
  const moved = new Map<number, number>()
  for (const { row, cause } of covered) {
    moveToEnded(tx, row, cause)
    moved.set(cause.seq, (moved.get(cause.seq) ?? 0) + 1)
  }
  for (const [seq, count] of moved) tx.sql('update cutoff set moved = moved + ? where seq = ?').run(count, seq)
}

export type EndToken = { readonly address: TokenAddress; readonly reason: EndingReason; readonly act: Act }

/** Ends one token where nothing has ended it before; of two callers one gets `ended`. */
export const endToken = (
  tx: Transaction,
  { address, reason, act }: EndToken,
): 'ended' | 'already_ended' | 'unknown' => {
  const id = bytesOfId(address.id)
  const select = `select ${TOKEN_COLUMNS} from token where life = ? and id = ?`
  const row = tx.sql<TokenRow>(select).get(address.lifetimeSeconds, id)
  if (row === undefined) {
    return tx.sql('select 1 from ended where id = ?').get(id) === undefined ? 'unknown' : 'already_ended'
  }
  const cause = causeOfEnd(ledgerTokenOf(row, tx.sets), readOpenCutOffs(tx.sql), tx.now)
  if (cause === 'expired') return 'already_ended'
  // The first ending wins: a row that a cut-off has covered moves with the cut-off's reason, not with this one.
  if (cause !== undefined) {
    moveCovered(tx, [{ row, cause }])
    return 'already_ended'
  }
  endRows(tx, [row], { reason, act: tx.recordAct(act) })
  tx.audit(act, address.id, { reason })
  return 'ended'
}

// A cut-off on one thing alone is a number on that thing; any other is compared token by token while it is open.
const ANCHORS = {
  agent: 'update agent set ended_seq = ? where n = ?',
  credential: 'update credential set ended_seq = ? where n = ?',
  key: 'update signing_key set ended_seq = ? where n = ?',
} as const

const anchor = ({ sql }: Transaction, conditions: CutOffConditions, seq: number): boolean => {
  const asked = Object.entries(conditions).filter(([, value]) => value !== null)
  if (asked.length === 0) {
    sql('update service set ended_seq = ?').run(seq)
    return true
  }
  const [[name, n] = []] = asked
  if (asked.length > 1 || (name !== 'agent' && name !== 'credential' && name !== 'key')) return false
  sql(ANCHORS[name]).run(seq, n)
  return true
}

const refuseTooMany = ({ sql }: Transaction): void => {
  const open = sql<{ count: number }>(
    `select count(*) as count from cutoff where state = 'open' and anchored = 0`,
  ).get()
  if ((open?.count ?? 0) >= COMPOUND_OPEN_MAX) {
    throw new Unavailable(`${COMPOUND_OPEN_MAX} revocations are still being worked off. Try again later.`)
  }
}

export type EndAll = {
  readonly conditions: CutOffConditions
  readonly reason: EndingReason
  readonly act: Act
  /** The time of the act, where a reset of the clock sets another than the transaction's. */
  readonly at?: number
  /** The id by which the state of the act can be asked; null for an act that is none of its own. */
  readonly revocationId?: string | null
}

const INSERT = `insert into cutoff (seq, conditions, anchored, reason, act, at, revocation_id, state)
  values (?, ?, ?, ?, ?, ?, ?, ?)`

/**
 * Ends every token that the conditions cover, from the commit on, at a cost that does not grow with their number.
 * The caller writes the audit row. Gives the number of the act.
 */
export const endAll = (
  tx: Transaction,
  { conditions, reason, act, at = tx.now, revocationId = null }: EndAll,
): number => {
  const seq = tx.nextSeq()
  const anchored = anchor(tx, conditions, seq)
  if (!anchored) refuseTooMany(tx)
  tx.sql('update service set last_end_seq = ?').run(seq)
  const cutOff: CutOff = { ...conditions, seq, at, reason, act: tx.recordAct(act, revocationId) }
  const few = walkCovered(tx, cutOff, { from: null, examinedMax: 1000, coveredMax: MOVED_AT_ONCE_MAX + 1 })
  const movedAll = few.done && few.covered.length <= MOVED_AT_ONCE_MAX
  const row = [seq, JSON.stringify(conditions), anchored ? 1 : 0, REASONS[reason], cutOff.act, at, revocationId]
  tx.sql(INSERT).run(...row, movedAll ? 'closed' : 'open')
  if (movedAll) moveCovered(tx, few.covered)
  tx.live.forget(conditions.agent)
  return seq
}
