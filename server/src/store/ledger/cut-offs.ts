// Open cut-offs: acts that ended many tokens whose rows may not all have followed yet.
import type { CutOff, CutOffConditions } from '../../domain/ledger/ledger.ts'
import { type EndingReason, reasonOf } from '../../../../api/values/reason.ts'
import { all, type Program } from '../statement-program.ts'

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

/** Reads the number up to which all that was issued to an agent, got with a credential or signed by a key has ended. */
export const ENDED_SEQ = {
  agent: 'select ended_seq as seq from agent where n = ?',
  credential: 'select ended_seq as seq from credential where n = ?',
  key: 'select ended_seq as seq from signing_key where n = ?',
} as const
