// The spans of time in which tokens of some audience sets were issued: a list passes over the others, whatever they hold.
import type { Milliseconds } from '../../../../api/values/time.ts'
import { all, type Program } from '../statement-program.ts'
import { isAnyOf } from './name-conditions.ts'

/** A span is the first three bytes of the ids that were issued in it, of their six of milliseconds: some four and a half hours. */
const SPAN_MS = 2 ** 24

/** For more sets, or with more spans, tokens of any time are asked for. */
const SETS_MAX = 32
const SPANS_MAX = 1000
/** More runs are asked for as one, from the first to the last. */
const RUNS_MAX = 32

/** Times of issue, from one on and before another; null: from the first, to the last. */
export type Run = { readonly issuedAfter: Milliseconds | null; readonly issuedBefore: Milliseconds | null }

export const ANY_TIME: Run = { issuedAfter: null, issuedBefore: null }

const spansWhere = (condition: string): string =>
  `select distinct span from audience_span where ${condition} order by span limit ${SPANS_MAX + 1}`

const runOf = (first: number, last: number): Run => ({
  issuedAfter: SPAN_MS * first,
  issuedBefore: SPAN_MS * (last + 1),
})

const runsOf = (spans: readonly number[]): readonly Run[] => {
  const isFirst = (n: number): boolean => spans[n] !== (spans[n - 1] ?? Number.NaN) + 1
  const firsts = spans.flatMap((_, n) => (isFirst(n) ? [n] : []))
  return firsts.map((n, nth) => runOf(spans[n] ?? 0, spans[(firsts[nth + 1] ?? spans.length) - 1] ?? 0))
}

/** When tokens of these sets were issued, earliest first, with gaps between. */
export function* issuedRuns(sets: readonly number[]): Program<readonly Run[]> {
  const [condition] = isAnyOf('aud', sets)
  if (condition === undefined || sets.length > SETS_MAX) return [ANY_TIME]
  const rows = yield* all<{ span: Uint8Array }>(spansWhere(condition.sql), ...condition.values)
  if (rows.length > SPANS_MAX) return [ANY_TIME]
  const spans = rows.map(({ span }) => Buffer.from(span).readUIntBE(0, 3))
  const runs = runsOf(spans)
  return runs.length <= RUNS_MAX ? runs : [runOf(spans[0] ?? 0, spans.at(-1) ?? 0)]
}
