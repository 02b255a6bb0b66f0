// Ends tokens early. A row moves from `token` to `ended` in one transaction, so that there is exactly one record.
import type { Act } from '../../domain/audit/act.ts'
import type { TokenAddress } from '../../domain/ledger/claims.ts'
import type { Ending } from '../../domain/ledger/ends.ts'
import { type CutOff, type CutOffConditions, endsAllOf } from '../../domain/ledger/ledger.ts'
import { type EndingReason, REASONS } from '../../../../api/values/reason.ts'
import { appendCutOff, appendEnds } from '../feed/append-facts.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { bytesOfId } from '../rows.ts'
import { excludeEarlierPrograms } from '../schema-version.ts'
import { first, run, type Program } from '../statement-program.ts'
import { nextSeq, recordAct, audit, foundAtOf, type Transaction } from '../transaction.ts'
import { followAtOnce, readDescendants } from './cascades.ts'
import { readOpenCutOffs, judgeRow, makeJudge } from './judge.ts'
import { type Cascade, type Covered, type RowEnding, moveCovered, moveRow, noteCascades } from './move-rows.ts'
import { anchorSelected } from './select-agents.ts'
import { findRow } from './find-row.ts'
import { mayCoverAny, takeSlot } from './slots.ts'
import { expiryOf, TOKEN_COLUMNS, type TokenRow } from './token-rows.ts'
import { scanAffectedRows } from './scan-affected-rows.ts'

/** An act that covers at most so many tokens moves their rows at once; a larger one leaves them to the backfill. */
const MOVED_AT_ONCE_MAX = 64
/** Rows that an act looks at to learn whether they are so few. */
const EXAMINED_AT_ONCE_MAX = 1000

type OwnEnding = Pick<RowEnding, 'reason' | 'act'>

/**
 * Ends live tokens whose rows were read in this transaction. Returns those with descendants, which follow in the background
 * unless somebody has them follow at once.
 */
export function* endRows(tx: Transaction, rows: readonly TokenRow[], ending: OwnEnding): Program<readonly Cascade[]> {
  const { now: at } = tx
  for (const row of rows) {
    yield* moveRow(tx, row, { ...ending, at, distance: 0 })
    tx.live.wasEnded(row.agent, expiryOf(row))
  }
  yield* appendEnds(tx, rows)
  return yield* noteCascades(rows.map(({ id }) => ({ token: id, act: ending.act, at })))
}

const TOKEN = `select ${TOKEN_COLUMNS} from token where life = ? and id = ?`
const ENDED = 'select 1 as found from ended where id = ? and at between ? and ?'

export type EndToken = { readonly address: TokenAddress; readonly reason: EndingReason; readonly act: Act }

/** Ends one token where nothing has ended it before; of two callers one gets `ended`. */
export function* endToken(
  tx: Transaction,
  { address, reason, act }: EndToken,
): Program<'ended' | 'already_ended' | 'unknown'> {
  const id = bytesOfId(address.id)
  const row = yield* first<TokenRow>(TOKEN, address.lifetimeSeconds, id)
  if (row === undefined) {
    return (yield* first(ENDED, id, ...tx.endedBetween(address.id))) === undefined ? 'unknown' : 'already_ended'
  }
  const { cause } = yield* judgeRow(tx, makeJudge(tx, yield* readOpenCutOffs()), row)
  if (cause === 'expired') return 'already_ended'
  // The first ending wins: a row that an act before has covered moves with the reason of that act, not with this one.
  if (cause !== undefined) {
    yield* moveCovered(tx, [{ row, cause }])
    return 'already_ended'
  }
  yield* followAtOnce(tx, yield* endRows(tx, [row], { reason, act: yield* recordAct(tx, act) }))
  yield* audit(tx, act, address.id, { reason, ...foundAtOf(act) })
  return 'ended'
}

// A cut-off on one thing alone is a number on that thing; any other is compared token by token while it is open.
const ANCHORS = {
  agent: 'update agent set ended_seq = ? where n = ?',
  credential: 'update credential set ended_seq = ? where n = ?',
  key: 'update signing_key set ended_seq = ? where n = ?',
  issuer: 'update trusted_issuer set ended_seq = ? where n = ?',
  principal: 'update principal set ended_seq = ? where n = ?',
} as const

type Anchor = readonly [keyof typeof ANCHORS, number]

/** The one thing that a condition is on; undefined where its cut-off has to be compared. */
const anchorOf = (
  name: string,
  { agent, credential, key, issuers, principals }: CutOffConditions,
): Anchor | undefined => {
  const [issuer, ...otherIssuers] = issuers ?? []
  const [principal, ...otherPrincipals] = principals ?? []
  if (name === 'agent' && agent !== null) return ['agent', agent]
  if (name === 'credential' && credential !== null) return ['credential', credential]
  if (name === 'key' && key !== null) return ['key', key]
  if (name === 'issuers' && issuer !== undefined && otherIssuers.length === 0) return ['issuer', issuer]
  return name === 'principals' && principal !== undefined && otherPrincipals.length === 0
    ? ['principal', principal]
    : undefined
}

/** Whether every program that uses the store looks at the number: one of before compares the cut-off all the same. */
function* isLookedAt(tx: Transaction, [on]: Anchor): Program<boolean> {
  if (on !== 'issuer' && on !== 'principal') return true
  if (yield* tx.isEarlierServing('blocked subjects')) return false
  yield* excludeEarlierPrograms('blocked subjects')
  return true
}

function* anchor(tx: Transaction, conditions: CutOffConditions, seq: number): Program<boolean> {
  const asked = Object.entries(conditions).filter(([, value]) => value !== null && value !== undefined)
  if (asked.length === 0) {
    yield* run('update service set ended_seq = ?', seq)
    return true
  }
  const [name = ''] = asked.map(([one]) => one)
  const { selected = null } = conditions
  if (asked.length === 1 && selected !== null) {
    yield* anchorSelected(selected, seq)
    return true
  }
  const one = asked.length > 1 ? undefined : anchorOf(name, conditions)
  if (one === undefined || !(yield* isLookedAt(tx, one))) return false
  const [on, n] = one
  yield* run(ANCHORS[on], seq, n)
  return true
}

type EndAll = Ending & {
  readonly act: Act
  /** The time of the act, where a reset of the clock sets another than the transaction's. */
  readonly at?: number
  /** The id by which the state of the act can be asked; null for an act that is none of its own. */
  readonly revocationId?: string | null
}

const INSERT = `insert into cutoff (seq, conditions, anchored, reason, act, at, revocation_id, position, state)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** Reads the few rows of the tree of one token, which is soon found among however many others. */
function* readFewOfTree(tx: Transaction, cutOff: CutOff, rootId: string): Program<readonly Covered[] | undefined> {
  const root = yield* findRow(tx, rootId)
  // Whatever descends from an ended root is dead.
  if (root === undefined || 'reason' in root) return []
  const tree = { token: root.id, act: cutOff.act, at: cutOff.at }
  const { rows, isDone } = yield* readDescendants(tree, 0, MOVED_AT_ONCE_MAX + 1)
  if (!isDone || rows.length > MOVED_AT_ONCE_MAX) return undefined
  const judge = makeJudge(tx, [...(yield* readOpenCutOffs()), cutOff])
  const own: Covered[] = []
  for (const row of [root, ...rows]) {
    const { cause } = yield* judgeRow(tx, judge, row)
    if (cause === cutOff) own.push({ row, cause })
  }
  return own
}

/** The time in a token's id is earlier than that at which its row was written by less than this (insert-plain.ts). */
const ID_BEFORE_ROW_MS = 2000

/** An open cut-off that covers as much has ended all tokens issued before this time: a repetition finds little and need not stay open. */
function* readEndedUntil(cutOff: CutOff): Program<Milliseconds> {
  const same = (yield* readOpenCutOffs()).filter(one => endsAllOf(one, cutOff))
  return Math.max(0, ...same.map(({ at }) => at - ID_BEFORE_ROW_MS))
}

/** All that it ends and no open one before it has, where they are few and soon found: then it need not stay open. */
function* readFewCovered(tx: Transaction, cutOff: CutOff, anchored: boolean): Program<readonly Covered[] | undefined> {
  if (cutOff.root !== null && cutOff.root !== undefined) return yield* readFewOfTree(tx, cutOff, cutOff.root)
  const since = anchored ? yield* readEndedUntil(cutOff) : 0
  const scan = { since, from: null, examinedMax: EXAMINED_AT_ONCE_MAX, coveredMax: EXAMINED_AT_ONCE_MAX }
  const { covered, done } = yield* scanAffectedRows(tx, cutOff, scan)
  if (!done) return (yield* mayCoverAny(cutOff)) ? undefined : []
  const own = covered.filter(({ cause }) => cause === cutOff)
  return own.length <= MOVED_AT_ONCE_MAX ? own : undefined
}

/**
 * Ends every token that the conditions cover, from the commit on, at a cost that does not grow with their number.
 * The caller writes the audit row. Returns the number of the act.
 */
export function* endAll(
  tx: Transaction,
  { conditions, reason, act, at = tx.now, revocationId = null }: EndAll,
): Program<number> {
  const seq = yield* nextSeq(tx)
  const { selected = null } = conditions
  const anchored = yield* anchor(tx, conditions, seq)
  yield* run('update service set last_end_seq = ?', seq)
  const cutOff: CutOff = { ...conditions, seq, at, reason, act: yield* recordAct(tx, act, revocationId) }
  const few = yield* readFewCovered(tx, cutOff, anchored)
  if (few === undefined && (!anchored || selected !== null)) yield* takeSlot(act)
  const position = yield* appendCutOff(tx, cutOff)
  const row = [seq, JSON.stringify(conditions), anchored ? 1 : 0, REASONS[reason], cutOff.act, at, revocationId]
  yield* run(INSERT, ...row, position, few === undefined ? 'open' : 'closed')
  if (few !== undefined) yield* followAtOnce(tx, yield* moveCovered(tx, few))
  tx.live.forget(conditions.agent)
  return seq
}

/** Ends all tokens as an act of its own. */
export function* endAllWithAudit(tx: Transaction, all: EndAll): Program<number> {
  const seq = yield* endAll(tx, all)
  yield* audit(tx, all.act, null, { seq, conditions: all.conditions, reason: all.reason })
  return seq
}
