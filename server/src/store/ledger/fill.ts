// The fill: moves the rows that an open cut-off covers, a step a transaction, resumable after a crash.
import type { CutOff } from '../../domain/ledger.ts'
import { first, run, type Script } from '../script.ts'
import type { Transaction } from '../transaction.ts'
import { readOpenCutOffs } from './cut-offs.ts'
import { moveCovered } from './end-tokens.ts'
import { walkCovered, type WalkPosition } from './walk.ts'

const FILL_ROWS = 500

const POSITION = 'select fill_life as life, fill_id as id from cutoff where seq = ?'

function* readPosition({ seq }: CutOff): Script<WalkPosition | null> {
  const position = yield* first<WalkPosition>(POSITION, seq)
  return position === undefined || position.life === 0 ? null : position
}

/**
 * One step for the oldest open cut-off. It begins once no older decision can still be written, and an insert checks `seq`
 * in its own transaction, so that one full pass sees every row that the cut-off covers: then it is closed. Says whether
 * more is left.
 */
export function* fillStep(tx: Transaction): Script<'more' | 'nothing_left'> {
  const [cutOff] = yield* readOpenCutOffs()
  if (cutOff === undefined || !(yield* tx.isSettled(cutOff.seq))) return 'nothing_left'
  const from = yield* readPosition(cutOff)
  const { covered, at, done } = yield* walkCovered(tx, cutOff, { from, examinedMax: FILL_ROWS, coveredMax: FILL_ROWS })
  yield* moveCovered(covered)
  if (done) yield* run(`update cutoff set state = 'closed' where seq = ?`, cutOff.seq)
  else if (at !== null) {
    yield* run('update cutoff set fill_life = ?, fill_id = ? where seq = ?', at.life, at.id, cutOff.seq)
  }
  return 'more'
}
