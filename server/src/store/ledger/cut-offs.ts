// Open cut-offs: acts that ended many tokens whose rows may not all have followed yet.
import type { CutOff, CutOffConditions } from '../../domain/ledger.ts'
import { type EndingReason, reasonOf } from '../../domain/reason.ts'
import type { Statements } from '../sqlite/statements.ts'

type Row = { seq: number; conditions: string; reason: number; act: number; at: number }

/** The reason with this stored number, as an act gives it. */
export const endingReasonOf = (code: number): EndingReason => {
  const reason = reasonOf(code)
  if (reason === 'expired') throw new Error('The ledger holds a cut-off that expired tokens.')
  return reason
}

const cutOffOf = ({ seq, conditions, reason, act, at }: Row): CutOff => ({
  ...(JSON.parse(conditions) as CutOffConditions), // written by endAll from the same type
  seq,
  at,
  reason: endingReasonOf(reason),
  act,
})

/** All that are open, by number. */
export const readOpenCutOffs = (sql: Statements): readonly CutOff[] =>
  sql<Row>(`select seq, conditions, reason, act, at from cutoff where state = 'open' order by seq`).all().map(cutOffOf)
