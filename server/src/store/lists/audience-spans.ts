// The spans of time in which tokens of some audience sets were issued: a list passes over the others, whatever they hold.
import type { Milliseconds } from '../../../../api/values/time.ts'
import { lowestIdAt } from '../../domain/ledger/claims.ts'
import { bytesOfId } from '../rows.ts'
import { all, type Program } from '../statement-program.ts'
import { isAnyOf } from './name-conditions.ts'

/** A span is the first three bytes of the ids that were issued in it, of their six of milliseconds: some four and a half hours. */
const SPAN_BYTES = 3
const SPAN_MS = 2 ** 24

/** For more sets, or with more spans, tokens of any time are asked for. */
const SETS_MAX = 32
const SPANS_MAX = 1000
/** More runs are asked for as one, from the first to the last. */
const RUNS_MAX = 32

/** Times of issue, from one on and before another; null: from the first, to the last. */
export type Run = { readonly issuedAfter: Milliseconds | null; readonly issuedBefore: Milliseconds | null }

export const ANY_TIME: Run = { issuedAfter: null, issuedBefore: null }

/** The span of an instant. */
export const spanAt = (at: Milliseconds): Uint8Array => bytesOfId(lowestIdAt(at)).subarray(0, SPAN_BYTES)

const runsOf = (spans: readonly Uint8Array[]): readonly Run[] => {
  const runs: Run[] = []
  for (const span of spans) {
    const from = SPAN_MS * Buffer.from(span).readUIntBE(0, SPAN_BYTES)
    const last = runs.at(-1)
    const isNext = last?.issuedBefore === from
    if (isNext) runs.pop()
    runs.push({ issuedAfter: isNext ? last.issuedAfter : from, issuedBefore: from + SPAN_MS })
  }
  return runs
}

/** From the first of these runs to the last. */
export const acrossRuns = (runs: readonly Run[]): Run => ({
  issuedAfter: runs[0]?.issuedAfter ?? null,
  issuedBefore: runs.at(-1)?.issuedBefore ?? null,
})

/** When tokens of these sets were issued, earliest first, with gaps between. */
export function* issuedRuns(sets: readonly number[]): Program<readonly Run[]> {
  const [condition] = isAnyOf('aud', sets)
  if (condition === undefined || sets.length > SETS_MAX) return [ANY_TIME]
  const text = `select distinct span from audience_span where ${condition.sql} order by span limit ${SPANS_MAX + 1}`
  const rows = yield* all<{ span: Uint8Array }>(text, ...condition.values)
  if (rows.length > SPANS_MAX) return [ANY_TIME]
  const runs = runsOf(rows.map(({ span }) => span))
  return runs.length <= RUNS_MAX ? runs : [acrossRuns(runs)]
}
