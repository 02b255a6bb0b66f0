// The live tokens of one agent, newest or oldest first, judged one by one while a cut-off is open.
import { type CutOff, type CutOffConditions, NO_CONDITION } from '../../domain/ledger/ledger.ts'
import { lowestIdAt, lowestLiveId } from '../../domain/ledger/claims.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { bytesOfId } from '../rows.ts'
import { all, byIndex, type Program } from '../statement-program.ts'
import type { Seen } from '../snapshot.ts'
import { readOpenCutOffs, aliveAmong, type Judge, makeJudge } from './judge.ts'
import { hasCascades } from './cascades.ts'
import type { LiveExpiries } from '../transaction.ts'
import { expiryOf, TOKEN_COLUMNS, type TokenRow } from './token-rows.ts'
import { readLifetimes } from './scan-affected-rows.ts'

/** Rows that are dead under an open cut-off and have not followed yet, or for a principal: so many are passed over, no more. */
const PASSED_ROWS_MAX = 10_000
/** How many are read beyond the ceiling: as many as a lowered ceiling may leave, which have one instant of issue. */
const BEYOND_MAX = 1024
/** The least number of rows that are read at a time where rows must be judged, or may be passed over. */
const JUDGED_ROWS = 500

const ABOVE_EVERY_ID = Buffer.alloc(16, 0xff)

// Both bounds are exclusive. The lower one starts at an id that no token has, below all of its millisecond.
const SELECT = {
  newest: `select ${TOKEN_COLUMNS} from token ${byIndex('token_agent')}
    where agent = ? and life = ? and id > ? and id < ? order by id desc limit ?`,
  oldest: `select ${TOKEN_COLUMNS} from token ${byIndex('token_agent')}
    where agent = ? and life = ? and id > ? and id < ? order by id limit ?`,
  oldestForPrincipal: `select ${TOKEN_COLUMNS} from token ${byIndex('token_principal')}
    where principal = ? and life = ? and id > ? and id < ? and agent = ? order by id limit ?`,
} as const

type LiveRows = {
  readonly rows: readonly TokenRow[]
  /** False where too many dead rows stood between: then there may be more. */
  readonly isComplete: boolean
}

const NARROWING = (Object.keys(NO_CONDITION) as (keyof CutOffConditions)[]).filter(name => name !== 'agent') // the keys of a constant

/** Whether it covers every token of the agent. A condition that is absent from what is stored narrows nothing. */
const coversAgent = (cutOff: CutOff, n: number): boolean =>
  (cutOff.agent === null || cutOff.agent === n) && NARROWING.every(name => (cutOff[name] ?? null) === null)

/** No live token of the agent has a smaller id: one that was decided on after an act was made at its time or later. */
const lowestOf = ({ now }: Seen, agent: number, life: number, cutOffs: readonly CutOff[]): Uint8Array => {
  const instants = cutOffs.filter(cutOff => coversAgent(cutOff, agent)).map(({ at }) => lowestIdAt(at))
  return bytesOfId([lowestLiveId(now, life), ...instants].toSorted().at(-1) ?? '')
}

type Scan = {
  readonly agent: number
  /** The oldest are those for one principal, or for none. */
  readonly of: 'newest' | { readonly oldestFor: number | null }
  readonly rowsMax: number
  /** Cut-offs that are about to be made: what they end does not live. */
  readonly coming?: readonly CutOff[]
}

/** What may have ended tokens whose rows have not moved yet. */
type Pending = {
  readonly cutOffs: readonly CutOff[]
  /** Undefined where every row is alive. */
  readonly judge: Judge | undefined
}

function* readPending(seen: Seen, coming: readonly CutOff[]): Program<Pending> {
  const cutOffs = [...(yield* readOpenCutOffs()), ...coming]
  const isSettled = cutOffs.length === 0 && !(yield* hasCascades())
  return { cutOffs, judge: isSettled ? undefined : makeJudge(seen, cutOffs) }
}

type Bounds = readonly [life: number, low: Uint8Array, high: Uint8Array]

const readRows = ({ agent, of }: Scan, bounds: Bounds, limit: number): Program<readonly TokenRow[]> => {
  if (of === 'newest') return all<TokenRow>(SELECT.newest, agent, ...bounds, limit)
  return of.oldestFor === null
    ? all<TokenRow>(SELECT.oldest, agent, ...bounds, limit)
    : all<TokenRow>(SELECT.oldestForPrincipal, of.oldestFor, ...bounds, agent, limit)
}

const isWanted = ({ of }: Scan, row: TokenRow): boolean => of === 'newest' || row.principal === of.oldestFor

function* scanLife(seen: Seen, life: number, scan: Scan, pending: Pending) {
  const { agent, of, rowsMax } = scan
  const live: TokenRow[] = []
  let low: Uint8Array = lowestOf(seen, agent, life, pending.cutOffs)
  let high: Uint8Array = ABOVE_EVERY_ID
  let limit = pending.judge === undefined ? rowsMax : Math.max(rowsMax, JUDGED_ROWS)
  for (let passed = 0; passed < PASSED_ROWS_MAX; ) {
    const rows: readonly TokenRow[] = yield* readRows(scan, [life, low, high], limit)
    const alive = pending.judge === undefined ? rows : yield* aliveAmong(seen, pending.judge, rows)
    const wanted = alive.filter(row => isWanted(scan, row))
    live.push(...wanted)
    passed += rows.length - wanted.length
    const last = rows.at(-1)
    if (live.length >= rowsMax || rows.length < limit || last === undefined) return { live, isComplete: true }
    if (of === 'newest') high = last.id
    else low = last.id
    limit = Math.max(limit, JUDGED_ROWS)
  }
  return { live, isComplete: false }
}

/** Reads live rows in the order of issue: the first `rowsMax` of each lifetime that the ledger knows, at times some more. */
export function* readLiveRows(seen: Seen, scan: Scan): Program<LiveRows> {
  const pending = yield* readPending(seen, scan.coming ?? [])
  const rows: TokenRow[] = []
  let isComplete = true
  for (const life of yield* readLifetimes()) {
    const scanned = yield* scanLife(seen, life, scan, pending)
    rows.push(...scanned.live)
    isComplete &&= scanned.isComplete
  }
  const ascending = rows.toSorted((a, b) => Buffer.compare(a.id, b.id))
  return { rows: scan.of === 'newest' ? ascending.toReversed() : ascending, isComplete }
}

type Count = { readonly max: number; readonly recountAt: Milliseconds }

/**
 * When the agent's live tokens expire; where it has more than `max`, at least so many that expire last. An agent whose live
 * tokens cannot be distinguished from dead ones passes for full until `recountAt`.
 */
export function* readLiveExpiries(seen: Seen, agent: number, { max, recountAt: until }: Count): Program<LiveExpiries> {
  const rowsMax = max + BEYOND_MAX
  const { rows, isComplete } = yield* readLiveRows(seen, { agent, of: 'newest', rowsMax })
  if (!isComplete) {
    return { expiries: Array.from({ length: max }, () => Math.ceil(until / 1000)), isWhole: false, until }
  }
  const expiries = rows.map(expiryOf).toSorted((a, b) => a - b)
  return { expiries: expiries.slice(-rowsMax), isWhole: rows.length < rowsMax, until: Number.POSITIVE_INFINITY }
}
