// The fill: moves the rows that an open cut-off covers, a step a transaction, resumable after a crash.
import type { CutOff } from '../../domain/ledger.ts'
import { readOpenCutOffs } from './cut-offs.ts'
import { moveCovered } from './end-tokens.ts'
import type { Transaction } from '../sqlite/transaction.ts'
import { walkCovered, type WalkPosition } from './walk.ts'

export const FILL_ROWS = 500

const positionOf = ({ sql }: Transaction, cutOff: CutOff): WalkPosition | null => {
  const select = 'select fill_life as life, fill_id as id from cutoff where seq = ?'
  const position = sql<{ life: number; id: Buffer }>(select).get(cutOff.seq)
  return position === undefined || position.life === 0 ? null : position
}

/**
 * One step for the oldest open cut-off. There is one writer, and an insert checks `seq` in its own transaction, so
 * that one full pass sees every row that the cut-off covers: then it is closed. Says whether more is left.
 */
export const fillStep = (tx: Transaction): 'more' | 'nothing_left' => {
  const [cutOff] = readOpenCutOffs(tx.sql)
  if (cutOff === undefined) return 'nothing_left'
  const from = positionOf(tx, cutOff)
  const { covered, at, done } = walkCovered(tx, cutOff, { from, examinedMax: FILL_ROWS, coveredMax: FILL_ROWS })
  moveCovered(tx, covered)
  if (done) tx.sql(`update cutoff set state = 'closed' where seq = ?`).run(cutOff.seq)
  else if (at !== null)
    tx.sql('update cutoff set fill_life = ?, fill_id = ? where seq = ?').run(at.life, at.id, cutOff.seq)
  return 'more'
}
