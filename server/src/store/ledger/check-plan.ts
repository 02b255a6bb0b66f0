// Whether a revocation still ends what its plan counted: asked in the transaction that ends it.
import { hash } from 'node:crypto'
import { type CutOff, type CutOffConditions, isAncestorEnd } from '../../domain/ledger/ledger.ts'
import type { Ending } from '../../domain/ledger/ends.ts'
import { PLAN_SECONDS_MAX, type RevocationPlan } from '../../domain/ledger/plan.ts'
import type { SelectedAgents } from '../../domain/ledger/selection.ts'
import type { Program } from '../statement-program.ts'
import type { Transaction } from '../transaction.ts'
import { hasLineages } from './lineages.ts'
import { scanAffectedRows } from './scan-affected-rows.ts'

/** Rows issued since the instant of a plan at which its revocation looks, while no other act can be made. */
const PLAN_EXAMINED_MAX = 10_000

/** The digest of the agents that were selected, which stand in the order of their numbers; null where none were asked for. */
export const digestSelected = (selected: SelectedAgents | null = null): string | null =>
  selected === null ? null : hash('sha256', selected.agents.join(','), 'base64url')

/** Returns the cut-off that these conditions would make in this transaction. */
const wouldBe = ({ conditions, reason }: Ending, { now }: Transaction): CutOff => ({
  ...conditions,
  seq: Number.MAX_SAFE_INTEGER,
  at: now,
  reason,
  act: Number.MAX_SAFE_INTEGER,
})

/** Counts the live tokens issued after the instant that it would end; undefined where that takes too many rows. */
function* countIssuedSince(
  tx: Transaction,
  cutOff: CutOff,
  { instant, extraMax }: RevocationPlan,
): Program<number | undefined> {
  let count = 0
  const scan = { from: null, since: instant + 1, examinedMax: PLAN_EXAMINED_MAX }
  for (const among of ['reached', 'delegated'] as const) {
    if (among === 'delegated' && !(yield* hasLineages())) break
    const { covered, done } = yield* scanAffectedRows(tx, cutOff, { ...scan, among, coveredMax: PLAN_EXAMINED_MAX })
    // What descends from covered tokens ends with them, and is counted in the second scan.
    count += covered.filter(({ cause }) =>
      among === 'reached' ? cause === cutOff : isAncestorEnd(cause) && cause.act === cutOff.act,
    ).length
    if (count > extraMax) return count
    if (!done) return undefined
  }
  return count
}

/** Whether these end more tokens than may have been issued since the plan, or too many to be counted. */
export function* hasOutgrown(tx: Transaction, endings: readonly Ending[], plan: RevocationPlan): Program<boolean> {
  let left = plan.extraMax
  for (const ending of endings) {
    const count = yield* countIssuedSince(tx, wouldBe(ending, tx), { ...plan, extraMax: left })
    if (count === undefined || count > left) return true
    left -= count
  }
  return false
}

/** Returns undefined if the revocation ends what was planned, and at most so many tokens more. */
export function* checkPlan(
  tx: Transaction,
  conditions: CutOffConditions,
  plan: RevocationPlan,
): Program<'plan_expired' | 'plan_outdated' | undefined> {
  if (tx.now >= plan.instant + 1000 * PLAN_SECONDS_MAX) return 'plan_expired'
  if (digestSelected(conditions.selected) !== plan.agentsDigest) return 'plan_outdated'
  return (yield* hasOutgrown(tx, [{ conditions, reason: 'bulk_revocation' }], plan)) ? 'plan_outdated' : undefined
}
