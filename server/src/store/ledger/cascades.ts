// Cascades: the descendants of a token that ended are dead with it, and their rows follow, each once. Few follow in the
// transaction of the end; of many a row of `cascade` says what is left, which no look-up reads: it looks at ancestors alone.
import type { Milliseconds } from '../../../../api/values/time.ts'
import { lowestLiveId } from '../../domain/ledger/claims.ts'
import { bytesOfId } from '../rows.ts'
import { all, byIndex, first, run, type Program } from '../statement-program.ts'
import type { Transaction } from '../transaction.ts'
import { readOpenCutOffs, judgeRow, makeJudge } from './judge.ts'
import { lineagesBelow } from './lineages.ts'
import { type Cascade, type Covered, moveCovered } from './move-rows.ts'
import { readLifetimes } from './scan-affected-rows.ts'
import { TOKEN_COLUMNS, type TokenRow } from './token-rows.ts'

/** The most descendants of one act that follow in its own transaction. */
const FOLLOWED_AT_ONCE_MAX = 64
/** Rows that follow in a step of the background. */
const STEP_ROWS = 500
/** Lineages that a step looks at: each is asked for by lifetime, and no other act runs meanwhile. */
const STEP_LINEAGES = 32

/** Whether descendants of some ended token have yet to follow. */
export function* hasCascades(): Program<boolean> {
  return (yield* first('select 1 as found from cascade limit 1')) !== undefined
}

/** An act of which descendants have yet to follow. */
export type CascadingAct = { readonly act: number; readonly at: Milliseconds }

export const readCascadingActs = (): Program<readonly CascadingAct[]> =>
  all<CascadingAct>('select distinct act, at from cascade')

const CHILDREN = `select ${TOKEN_COLUMNS} from token ${byIndex('token_lineage')}
  where lineage = ? and life = ? and id >= ? order by id limit ?`

type Descendants = {
  readonly rows: readonly TokenRow[]
  /** The last lineage of which no row is left. */
  readonly doneTo: number
  readonly isDone: boolean
}

/** Rows that have yet to follow, at most so many. One that had expired when its ancestor ended does not follow. */
export function* readDescendants(
  { token, at }: Cascade,
  after: number,
  rowsMax: number,
  lineagesMax = rowsMax,
): Program<Descendants> {
  const lineages = yield* lineagesBelow(token, after, lineagesMax)
  const bounds = (yield* readLifetimes()).map(life => [life, bytesOfId(lowestLiveId(at, life))] as const)
  const rows: TokenRow[] = []
  let doneTo = after
  for (const lineage of lineages) {
    for (const [life, lowest] of bounds) {
      rows.push(...(yield* all<TokenRow>(CHILDREN, lineage, life, lowest, rowsMax - rows.length)))
      if (rows.length >= rowsMax) return { rows, doneTo, isDone: false }
    }
    doneTo = lineage
  }
  return { rows, doneTo, isDone: lineages.length < lineagesMax }
}

/** Moves descendants of ended tokens: each ended with the ancestor, or before that by another act. */
function* follow(tx: Transaction, rows: readonly TokenRow[]): Program<void> {
  if (rows.length === 0) return
  const judge = makeJudge(tx, yield* readOpenCutOffs())
  const covered: Covered[] = []
  for (const row of rows) {
    const { cause } = yield* judgeRow(tx, judge, row)
    if (cause === undefined || cause === 'expired') throw new Error('A descendant of an ended token has no end.')
    covered.push({ row, cause })
  }
  yield* moveCovered(tx, covered)
}

const forget = ({ token }: Cascade): Program<number> => run('delete from cascade where token = ?', token)

/** Lets descendants of what an act ended follow at once where they are few; others follow in the background. */
export function* followAtOnce(tx: Transaction, cascades: readonly Cascade[]): Program<void> {
  let left = FOLLOWED_AT_ONCE_MAX
  for (const cascade of cascades) {
    const { rows, isDone } = yield* readDescendants(cascade, 0, left + 1)
    if (!isDone || rows.length > left) return
    yield* follow(tx, rows)
    yield* forget(cascade)
    left -= rows.length
  }
}

type Row = Cascade & { readonly fill: number }

/** Does one step for the oldest act. Returns whether there may be more to do. */
export function* cascadeStep(tx: Transaction): Program<'more' | 'nothing_left'> {
  const cascade = yield* first<Row>('select token, act, at, fill from cascade order by act, token limit 1')
  if (cascade === undefined) return 'nothing_left'
  const { rows, doneTo, isDone } = yield* readDescendants(cascade, cascade.fill, STEP_ROWS, STEP_LINEAGES)
  yield* follow(tx, rows)
  if (isDone) yield* forget(cascade)
  else yield* run('update cascade set fill = ? where token = ?', doneTo, cascade.token)
  return 'more'
}
