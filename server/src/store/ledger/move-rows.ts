// Moves rows of ended tokens from `token` to `ended`, each in one transaction, so that there is exactly one record of it.
import { type AncestorEnd, type CutOff, isAncestorEnd } from '../../domain/ledger/ledger.ts'
import { subjectAgentOf } from '../../domain/ledger/lineage.ts'
import { type EndingReason, REASONS } from '../../../../api/values/reason.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { recall } from '../name-cache.ts'
import { idOfBytes } from '../rows.ts'
import { run, type Program } from '../statement-program.ts'
import type { Transaction } from '../transaction.ts'
import { parentsAmong } from './lineages.ts'
import type { TokenRow } from './token-rows.ts'

export type RowEnding = {
  readonly at: Milliseconds
  readonly reason: EndingReason
  readonly act: number
  /** The number of edges up to the token whose end this is; 0: it is the row's own. */
  readonly distance: number
}

const MOVE = `insert into ended (id, life, agent, cred, key, scope, aud, at, reason, act, lineage, subject, principal,
    ancestor) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

function* subjectOfRow({ sets }: Transaction, { agent, lineage, principal }: TokenRow): Program<number | null> {
  if (lineage === null) return null
  return subjectAgentOf({ id: '', agent, principal, ancestors: yield* recall(sets.lineage, lineage) })
}

export function* moveRow(tx: Transaction, row: TokenRow, { at, reason, act, distance }: RowEnding): Program<void> {
  yield* run('delete from token where life = ? and id = ?', row.life, row.id)
  const values = [row.id, row.life, row.agent, row.cred, row.key, row.scope, row.aud, at, REASONS[reason], act]
  const linked = [row.lineage, yield* subjectOfRow(tx, row), row.principal]
  yield* run(MOVE, ...values, ...linked, distance === 0 ? null : distance)
  tx.endings.push(reason)
}

/** An ended token whose descendants have yet to follow. */
export type Cascade = { readonly token: Uint8Array; readonly act: number; readonly at: Milliseconds }

const CASCADE = 'insert into cascade (token, act, at) values (?, ?, ?)'

/** Notes which of these tokens, that ended of their own, have descendants. */
export function* noteCascades(ended: readonly Cascade[]): Program<readonly Cascade[]> {
  const parents = yield* parentsAmong(ended.map(({ token }) => token))
  const cascades = ended.filter(({ token }) => parents.has(idOfBytes(token)))
  for (const { token, act, at } of cascades) yield* run(CASCADE, token, act, at)
  return cascades
}

/** A dead row, and what ended it: the first act that did, which need not be the one that was asked about. */
export type Covered = { readonly row: TokenRow; readonly cause: CutOff | AncestorEnd }

const endingOf = (cause: Covered['cause']): RowEnding =>
  isAncestorEnd(cause) ? { ...cause, reason: 'ancestor_ended' } : { ...cause, distance: 0 }

/** Moves rows, each with the reason of what ended it, and counts at each cut-off what it ended. */
export function* moveCovered(tx: Transaction, covered: readonly Covered[]): Program<readonly Cascade[]> {
  const moved = new Map<number, number>()
  const own: Cascade[] = []
  for (const { row, cause } of covered) {
    yield* moveRow(tx, row, endingOf(cause))
    if (isAncestorEnd(cause)) {
      tx.live.forget(row.agent)
      continue
    }
    moved.set(cause.seq, (moved.get(cause.seq) ?? 0) + 1)
    own.push({ token: row.id, act: cause.act, at: cause.at })
  }
  for (const [seq, count] of moved) yield* run('update cutoff set moved = moved + ? where seq = ?', count, seq)
  return yield* noteCascades(own)
}
