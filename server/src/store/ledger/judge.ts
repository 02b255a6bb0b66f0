// What ended tokens, as one snapshot shows it: of their own, or with an ancestor; and the open cut-offs that it looks at. All tokens
// of a lineage are judged by one look at their ancestors.
import {
  type AncestorEnd,
  type Cause,
  causeOfEnd,
  type CutOff,
  firstEnd,
  type LedgerToken,
  ownCause,
  type CutOffConditions,
} from '../../domain/ledger/ledger.ts'
import { recall } from '../name-cache.ts'
import { bytesOfId } from '../rows.ts'
import type { Seen } from '../snapshot.ts'
import { first, type Program, all } from '../statement-program.ts'
import type { StoredAncestor } from './lineages.ts'
import { knownTokenOf, ledgerTokenOf, TOKEN_COLUMNS, type TokenRow } from './token-rows.ts'
import { type EndingReason, reasonOf } from '../../../../api/values/reason.ts'

export type Judge = {
  /** Looks at the ancestors of a lineage, once. Wanted before `causeOf`. */
  readonly learn: (lineage: number) => Program<void>
  /** What ended a token that still has its row; `lineage` is the row's. */
  readonly causeOf: (token: LedgerToken, lineage: number | null) => Cause | undefined
}

const LIVE = `select ${TOKEN_COLUMNS} from token where life = ? and id = ?`
const ENDED = 'select act, at, ancestor from ended where id = ? and at between ? and ?'

type EndedAncestor = { readonly act: number; readonly at: number; readonly ancestor: number | null }

/** The end that an ancestor has of its own; undefined where it has none, or where it only expired. */
function* ownEndOf(
  { sets, now, endedBetween }: Seen,
  { id, lifetimeSeconds }: StoredAncestor,
  cutOffs: readonly CutOff[],
): Program<Omit<AncestorEnd, 'distance'> | undefined> {
  const row = yield* first<TokenRow>(LIVE, lifetimeSeconds, bytesOfId(id))
  if (row !== undefined) {
    const cause = ownCause(yield* ledgerTokenOf(row, sets), cutOffs, now)
    return typeof cause === 'object' ? { act: cause.act, at: cause.at } : undefined
  }
  const ended = yield* first<EndedAncestor>(ENDED, bytesOfId(id), ...endedBetween(id))
  // A token that ended with an ancestor has no end of its own. That ancestor is also one of the judged token, and counts there.
  return ended === undefined || ended.ancestor !== null ? undefined : { act: ended.act, at: ended.at }
}

function* endAbove(seen: Seen, lineage: number, cutOffs: readonly CutOff[]): Program<AncestorEnd | undefined> {
  const ends: AncestorEnd[] = []
  for (const [n, ancestor] of (yield* recall(seen.sets.lineage, lineage)).entries()) {
    const end = yield* ownEndOf(seen, ancestor, cutOffs)
    if (end !== undefined) ends.push({ ...end, distance: n + 1 })
  }
  return firstEnd(ends)
}

/** It is of one moment: after an act of the same transaction another is needed. */
export const makeJudge = (seen: Seen, cutOffs: readonly CutOff[]): Judge => {
  const ends = new Map<number, AncestorEnd | undefined>()
  return {
    learn: function* (lineage) {
      if (!ends.has(lineage)) ends.set(lineage, yield* endAbove(seen, lineage, cutOffs))
    },
    causeOf: (token, lineage) => {
      if (lineage === null) return causeOfEnd(token, undefined, cutOffs, seen.now)
      if (!ends.has(lineage)) throw new Error(`Lineage ${lineage} was not looked at.`)
      return causeOfEnd(token, ends.get(lineage), cutOffs, seen.now)
    },
  }
}

/** A row as the ledger judges it, with what ended it. */
export function* judgeRow(
  { sets }: Pick<Seen, 'sets'>,
  judge: Judge,
  row: TokenRow,
): Program<{ readonly token: LedgerToken; readonly cause: Cause | undefined }> {
  const token = yield* ledgerTokenOf(row, sets)
  if (row.lineage !== null) yield* judge.learn(row.lineage)
  return { token, cause: judge.causeOf(token, row.lineage) }
}

/** The rows that nothing has ended. Of many rows a statement program for each would cost as much as the rest. */
export function* aliveAmong(
  { sets }: Pick<Seen, 'sets'>,
  judge: Judge,
  rows: readonly TokenRow[],
): Program<readonly TokenRow[]> {
  const alive: TokenRow[] = []
  for (const row of rows) {
    const token = knownTokenOf(row, sets) ?? (yield* ledgerTokenOf(row, sets))
    if (row.lineage !== null) yield* judge.learn(row.lineage)
    if (judge.causeOf(token, row.lineage) === undefined) alive.push(row)
  }
  return alive
}

// Open cut-offs: acts that ended many tokens whose rows may not all have followed yet.

/** A row of `cutoff` as look-ups read it. */
export type CutOffRow = { seq: number; conditions: string; reason: number; act: number; at: number }

/** The reason with this stored number, as an act gives it. */
export const endingReasonOf = (code: number): EndingReason => {
  const reason = reasonOf(code)
  if (reason === 'expired') throw new Error('The ledger holds a cut-off that expired tokens.')
  return reason
}

export const cutOffOf = ({ seq, conditions, reason, act, at }: CutOffRow): CutOff => ({
  ...(JSON.parse(conditions) as CutOffConditions), // written by endAll from the same type
  seq,
  at,
  reason: endingReasonOf(reason),
  act,
})

// An anchored one is a number on what it ends as well, which every look-up reads: there it would be compared for nothing. Those
// that are left have the few slots that slots.ts gives out.
export const COMPARED = `state = 'open' and anchored = 0`

/** The open ones that alone decide whether a token is dead; what ended it takes all of them to find. */
export function* readComparedCutOffs(): Program<readonly CutOff[]> {
  const select = `select seq, conditions, reason, act, at from cutoff where ${COMPARED} order by seq`
  return (yield* all<CutOffRow>(select)).map(cutOffOf)
}

/** Reads all open cut-offs, by number. */
export function* readOpenCutOffs(): Program<readonly CutOff[]> {
  const select = `select seq, conditions, reason, act, at from cutoff where state = 'open' order by seq`
  return (yield* all<CutOffRow>(select)).map(cutOffOf)
}

/** Reads the number up to which all has ended that was issued to an agent, got with a credential, signed by a key, or acts for subjects of an issuer or for one. */
export const ENDED_SEQ = {
  agent: 'select ended_seq as seq from agent where n = ?',
  credential: 'select ended_seq as seq from credential where n = ?',
  key: 'select ended_seq as seq from signing_key where n = ?',
  issuer: 'select ended_seq as seq from trusted_issuer where n = ?',
  principal: 'select ended_seq as seq from principal where n = ?',
} as const
