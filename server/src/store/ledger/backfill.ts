// Backfill: moves the rows that an open cut-off covers, a step a transaction, resumable after a crash.
import type { CutOff } from '../../domain/ledger/ledger.ts'
import { first, run, type Program } from '../statement-program.ts'
import type { Transaction } from '../transaction.ts'
import { readOpenCutOffs } from './judge.ts'
import { moveCovered } from './move-rows.ts'
import { scanAffectedRows, type ScanPosition } from './scan-affected-rows.ts'

const BACKFILL_ROWS = 500

const POSITION = 'select fill_life as life, fill_id as id from cutoff where seq = ?'

function* readPosition({ seq }: CutOff): Program<ScanPosition | null> {
  const position = yield* first<ScanPosition>(POSITION, seq)
  return position === undefined || position.life === 0 ? null : position
}

/**
 * One step for the oldest open cut-off; whether there may be more to do. No token decided on before the cut-off can still be
 * written, so one full pass sees every row that it covers; then it is closed.
 */
export function* backfillStep(tx: Transaction): Program<'more' | 'nothing_left'> {
  const [cutOff] = yield* readOpenCutOffs()
  if (cutOff === undefined) return 'nothing_left'
  const from = yield* readPosition(cutOff)
  const { covered, at, done } = yield* scanAffectedRows(tx, cutOff, {
    from,
    examinedMax: BACKFILL_ROWS,
    coveredMax: BACKFILL_ROWS,
  })
  yield* moveCovered(tx, covered)
  if (done) yield* run(`update cutoff set state = 'closed' where seq = ?`, cutOff.seq)
  else if (at !== null) {
    yield* run('update cutoff set fill_life = ?, fill_id = ? where seq = ?', at.life, at.id, cutOff.seq)
  }
  return 'more'
}
