// Ends many single tokens at once: what endToken() does for each, by a few statements for all of them.
import { ownCause } from '../../../domain/ledger/ledger.ts'
import { REASONS } from '../../../../../api/values/reason.ts'
import { appendEnds } from '../../feed/append-facts.ts'
import { readOpenCutOffs } from '../../ledger/judge.ts'
import { type EndToken, endToken } from '../../ledger/end-tokens.ts'
import { parentsAmong } from '../../ledger/lineages.ts'
import { type Covered, moveCovered } from '../../ledger/move-rows.ts'
import { expiryOf, ledgerTokenOf, type TokenRow } from '../../ledger/token-rows.ts'
import { all, run, type Program } from '../../statement-program.ts'
import { foundAtOf, type Transaction } from '../../transaction.ts'

type EndOutcome = 'ended' | 'already_ended' | 'unknown'

// Values come as one text of JSON: a statement program knows no lists.
const ROWS = `select t.life, t.id, t.agent, t.cred, t.key, t.scope, t.aud, t.seq, t.lineage, t.principal,
    case when t.id is null and exists (select 1 from ended e where e.id = u.id and e.at between u.since and u.until)
      then 1 else 0 end as "hasEnded"
  from json_to_recordset(cast(? as json)) as u (i integer, life integer, id uuid, since bigint, until bigint)
  left join lateral (select * from token where token.life = u.life and token.id = u.id limit 1) t on true
  order by u.i`

type Row = (TokenRow | { readonly id: null }) & { readonly hasEnded: 0 | 1 }

// Numbers are given once the rows are in order.
const ACTS = `insert into act (kind, actor, note, at, request_id)
  select u.kind, u.actor, u.note, cast(? as bigint), u.request_id
  from json_to_recordset(cast(? as json)) as u (i integer, kind text, actor text, note text, request_id text)
  order by u.i returning n`

const MOVE = `with gone as (
    delete from token t using json_to_recordset(cast(? as json)) as u (life integer, id uuid, reason smallint, act integer)
    where t.life = u.life and t.id = u.id
    returning t.id, t.life, t.agent, t.cred, t.key, t.scope, t.aud, t.principal, u.reason, u.act)
  insert into ended (id, life, agent, cred, key, scope, aud, principal, at, reason, act)
  select id, life, agent, cred, key, scope, aud, principal, cast(? as bigint), reason, act from gone`

const AUDIT = `insert into audit (at, kind, actor, request_id, source, subject, note, detail)
  select cast(? as bigint), u.kind, u.actor, u.request_id, u.source, u.subject, u.note, u.detail
  from json_to_recordset(cast(? as json)) as u (i integer, kind text, actor text, request_id text, source text, subject text,
    note text, detail text)
  order by u.i`

type Ending = EndToken & { readonly row: TokenRow }

/** Writes the ends of this act. */
function* write(tx: Transaction, endings: readonly Ending[]): Program<void> {
  const { now } = tx
  const acts = endings.map(({ act: { kind, actor, note, requestId } }, i) => {
    return { i, kind, actor: JSON.stringify(actor), note, request_id: requestId }
  })
  const given = (yield* all<{ n: number }>(ACTS, now, JSON.stringify(acts))).map(({ n }) => n).toSorted((a, b) => a - b)
  const moves = endings.map(({ address, reason }, i) => {
    return { life: address.lifetimeSeconds, id: address.id, reason: REASONS[reason], act: given[i] }
  })
  const moved = yield* run(MOVE, JSON.stringify(moves), now)
  if (moved !== endings.length) throw new Error(`Of ${endings.length} tokens ${moved} were ended.`)
  for (const { row, reason } of endings) {
    tx.live.wasEnded(row.agent, expiryOf(row))
    tx.endings.push(reason)
  }
  const rows = endings.map(({ row }) => row)
  yield* appendEnds(tx, rows)
  const audits = endings.map(({ address, reason, act }, i) => {
    const { kind, actor, requestId, source, note } = act
    const who = { actor: JSON.stringify(actor), request_id: requestId, source }
    return { i, kind, ...who, subject: address.id, note, detail: JSON.stringify({ reason, ...foundAtOf(act) }) }
  })
  yield* run(AUDIT, now, JSON.stringify(audits))
}

function* readRows(tx: Transaction, ends: readonly EndToken[]): Program<readonly Row[]> {
  const asked = ends.map(({ address: { id, lifetimeSeconds: life } }, i) => {
    const [since, until] = tx.endedBetween(id)
    return { i, life, id, since, until }
  })
  return yield* all<Row>(ROWS, JSON.stringify(asked))
}

const isThere = (row: Row): row is TokenRow & { readonly hasEnded: 0 } => row.id !== null

const keyOf = ({ address }: EndToken): string => `${address.lifetimeSeconds} ${address.id}`

type Found = { readonly end: EndToken; readonly row: TokenRow }

type Split = { readonly plain: readonly Found[]; readonly linked: readonly EndToken[] }

/** Splits the ends: tokens without parent and children, whose end concerns no other token, and the rest. */
function* splitEnds(
  ends: readonly EndToken[],
  rows: readonly Row[],
  outcomes: Map<EndToken, EndOutcome>,
): Program<Split> {
  const plain: Found[] = []
  const linked: EndToken[] = []
  const parents = yield* parentsAmong(rows.filter(isThere).map(({ id }) => id))
  for (const [n, end] of ends.entries()) {
    const row = rows[n]
    if (row === undefined) throw new Error('A look-up has no answer.')
    if (!isThere(row)) outcomes.set(end, row.hasEnded === 1 ? 'already_ended' : 'unknown')
    else if (row.lineage !== null || parents.has(end.address.id)) linked.push(end)
    else plain.push({ end, row })
  }
  return { plain, linked }
}

/** Returns one outcome for each, in order; of several that end one token only the first may get `ended`. */
export function* endTogether(tx: Transaction, ends: readonly EndToken[]): Program<readonly EndOutcome[]> {
  const firsts = new Map<string, EndToken>()
  for (const end of ends) if (!firsts.has(keyOf(end))) firsts.set(keyOf(end), end)
  const distinct = [...firsts.values()]
  const outcomes = new Map<EndToken, EndOutcome>()
  const { plain, linked } = yield* splitEnds(distinct, yield* readRows(tx, distinct), outcomes)
  const cutOffs = yield* readOpenCutOffs()
  const [covered, endings]: [Covered[], Ending[]] = [[], []]
  for (const { end, row } of plain) {
    const cause = ownCause(yield* ledgerTokenOf(row, tx.sets), cutOffs, tx.now)
    if (cause === undefined) endings.push({ ...end, row })
    // The first ending wins: a row that a cut-off has covered moves with the cut-off's reason, not with this one.
    else if (cause !== 'expired') covered.push({ row, cause })
    outcomes.set(end, cause === undefined ? 'ended' : 'already_ended')
  }
  yield* moveCovered(tx, covered)
  if (endings.length > 0) yield* write(tx, endings)
  // One after another: the end of one token may also end the next, as its descendant.
  for (const end of linked) outcomes.set(end, yield* endToken(tx, end))
  return ends.map(end => {
    const first = firsts.get(keyOf(end)) ?? end
    const outcome = outcomes.get(first) ?? 'unknown'
    return end !== first && outcome === 'ended' ? 'already_ended' : outcome
  })
}
