// Counts the live tokens of the store, in steps with room for others between them.
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import type { Milliseconds, MonotonicMilliseconds } from '../../../../api/values/time.ts'
import { ABOVE_EVERY_ID, lowestLiveId } from '../../domain/ledger/claims.ts'
import type { LiveTokens } from '../../domain/service-status.ts'
import type { Timing } from '../../ports/timing.ts'
import { monotonicMs } from '../clocks.ts'
import { bytesOfId } from '../rows.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import { all, first, only, type Program } from '../statement-program.ts'
import { hasCascades } from '../ledger/cascades.ts'
import { aliveAmong, makeJudge } from '../ledger/judge.ts'
import { readLifetimes } from '../ledger/scan-affected-rows.ts'
import { TOKEN_COLUMNS, type TokenRow } from '../ledger/token-rows.ts'

/** What one step costs, in rows that the database counts by itself: some milliseconds. */
const STEP_COST = 10_000
/** The cost of a row that is judged, as each is while a cut-off is open or descendants of ended tokens wait. */
const JUDGED_COST = 20
const JUDGED_ROWS = STEP_COST / JUDGED_COST
/** A count that took more than a step is given again for so many ms for each row of its cost: counting takes a tenth of the time at most. */
const REST_MS_PER_ROW = 1 / 500
/** While a count that costs more than this is made anew, the one before is given: nobody waits for seconds. */
const AWAITED_COST = 1_000_000

const RANGE = 'from token where life = ? and id >= ? and id < ? order by id desc limit ?'
const NTH = `select id ${RANGE} offset ?`
const TALLY = `select count(*) as count from (select id ${RANGE}) as live`
const ROWS = `select ${TOKEN_COLUMNS} ${RANGE}`

/** The ids from `low` on and below `below`. */
type Range = { readonly life: number; readonly low: Uint8Array; readonly below: Uint8Array }

/** What was counted of a range, and what is left of it: the older part. */
type Part = { readonly count: number; readonly cost: number; readonly left: Range | undefined }

function* countPlain({ life, low, below }: Range): Program<Part> {
  const last = yield* first<{ id: Uint8Array }>(NTH, life, low, below, 1, STEP_COST - 1)
  if (last !== undefined) return { count: STEP_COST, cost: STEP_COST, left: { life, low, below: last.id } }
  const { count } = yield* only<{ count: number }>(TALLY, life, low, below, STEP_COST)
  return { count, cost: count, left: undefined }
}

function* countJudged(snapshot: Snapshot, { life, low, below }: Range): Program<Part> {
  const judge = makeJudge(snapshot, yield* snapshot.cutOffs())
  const rows = yield* all<TokenRow>(ROWS, life, low, below, JUDGED_ROWS)
  const { length: count } = yield* aliveAmong(snapshot, judge, rows)
  const last = rows.length < JUDGED_ROWS ? undefined : rows.at(-1)
  return { count, cost: JUDGED_COST * rows.length, left: last && { life, low, below: last.id } }
}

/** The newest of a range first, so that what is issued meanwhile is not counted. */
function* countStep(snapshot: Snapshot, range: Range): Program<Part> {
  const isPlain = (yield* snapshot.cutOffs()).length === 0 && !(yield* hasCascades())
  return yield* isPlain ? countPlain(range) : countJudged(snapshot, range)
}

/** What changes when many tokens end at once. A count during which it changes is true of no single moment. */
type Ends = { readonly seq: number; readonly isCascading: boolean }

function* readEnds({ service }: Snapshot): Program<Ends> {
  return { seq: service.lastEndSeq, isCascading: yield* hasCascades() }
}

const isAsBefore = (before: Ends, now: Ends): boolean =>
  now.seq === before.seq && (before.isCascading || !now.isCascading)

type Begun = { readonly at: Milliseconds; readonly ends: Ends; readonly ranges: readonly Range[] }

function* begin(snapshot: Snapshot): Program<Begun> {
  const { now } = snapshot
  const below = bytesOfId(ABOVE_EVERY_ID)
  const lives = yield* readLifetimes()
  return {
    at: now,
    ends: yield* readEnds(snapshot),
    ranges: lives.map(life => ({ life, low: bytesOfId(lowestLiveId(now, life)), below })),
  }
}

type Counted = { readonly tokens: LiveTokens; readonly cost: number }

/** Undefined where many ended meanwhile. */
const countOnce = async ({ read }: Reader): Promise<Counted | undefined> => {
  const { at, ends, ranges } = await read(begin)
  let [count, cost] = [0, 0]
  for (const range of ranges) {
    let left: Range | undefined = range
    while (left !== undefined) {
      const current: Range = left
      if (cost > 0) await turn()
      const part: Part = await read(snapshot => countStep(snapshot, current))
      count += part.count
      cost += part.cost
      left = part.left
    }
  }
  const isOfOneMoment = cost <= STEP_COST || isAsBefore(ends, await read(readEnds))
  return isOfOneMoment ? { tokens: { count, at }, cost } : undefined
}

/** Null where nothing that is true of now could be counted in time. */
export type CountLive = () => Promise<LiveTokens | null>

type Kept = Counted & { readonly begunAt: MonotonicMilliseconds; readonly until: MonotonicMilliseconds }

/** One count at a time, however many ask. */
export const makeLiveCounter = (
  reader: Reader,
  timing: Pick<Timing, 'liveCountOldMs' | 'liveCountWaitMs'>,
): CountLive => {
  const now = monotonicMs
  let kept: Kept | undefined
  let running: Promise<LiveTokens | null> | undefined
  const run = async (): Promise<LiveTokens | null> => {
    try {
      const begunAt = now()
      const counted = (await countOnce(reader)) ?? (await countOnce(reader))
      if (counted === undefined) return null
      const { cost, tokens } = counted
      kept = { ...counted, begunAt, until: now() + (cost > STEP_COST ? cost * REST_MS_PER_ROW : 0) }
      return tokens
    } finally {
      running = undefined
    }
  }
  const unlessOld = ({ begunAt, tokens }: Kept): LiveTokens | null =>
    now() - begunAt <= timing.liveCountOldMs + tokens.count * REST_MS_PER_ROW ? tokens : null
  return async () => {
    if (kept !== undefined && now() < kept.until) return unlessOld(kept)
    running ??= run()
    // The fault reaches the callers that wait for this count; without any, nothing else handles the rejection.
    running.catch(() => undefined)
    const given = kept === undefined || kept.cost <= AWAITED_COST ? null : unlessOld(kept)
    return given ?? Promise.race([running, pause(timing.liveCountWaitMs, null, { ref: false })])
  }
}
