// The marks that Mintmark is held to: ratios of processor time a request between series of the same run.
import { format, median } from './figures.ts'
import type { Tally } from './load.ts'
import { microsecondsOf, type Tallies } from './rounds.ts'

export type SeriesName =
  | 'bare POST'
  | 'introspection bytes'
  | 'signing POST'
  | 'node-oidc-provider'
  | 'issue'
  | 'introspect fresh'
  | 'introspect same'
  | 'revoke'

type Mark = {
  readonly of: SeriesName
  readonly by: SeriesName
  readonly bound: 'at most' | 'at least'
  readonly ratio: number
}

const MARKS: readonly Mark[] = [
  { of: 'issue', by: 'signing POST', bound: 'at most', ratio: 1 },
  { of: 'node-oidc-provider', by: 'issue', bound: 'at least', ratio: 2.5 },
  { of: 'introspection bytes', by: 'introspect fresh', bound: 'at least', ratio: 0.6 },
  { of: 'introspection bytes', by: 'introspect same', bound: 'at least', ratio: 0.6 },
]

export type JudgedMark = {
  readonly mark: string
  readonly wanted: string
  readonly ratio: number
  /** The least ratio of the rounds. */
  readonly least: number
  readonly most: number
  readonly reached: boolean
}

// Slices of one round stand a few seconds apart: their ratio feels less of the neighbors than one of two medians.
const ratiosOf = (above: readonly Tally[], below: readonly Tally[]): readonly number[] =>
  above.flatMap((tally, round) => {
    const other = below[round]
    return other === undefined ? [] : [microsecondsOf(tally) / microsecondsOf(other)]
  })

const judge = (tallies: Tallies<SeriesName>, { of, by, bound, ratio }: Mark): readonly JudgedMark[] => {
  const ratios = ratiosOf(tallies.get(of) ?? [], tallies.get(by) ?? [])
  const middle = median(ratios)
  if (Number.isNaN(middle)) return []
  const reached = bound === 'at most' ? middle <= ratio : middle >= ratio
  const range = { least: Math.min(...ratios), most: Math.max(...ratios) }
  return [{ mark: `${of} ÷ ${by}`, wanted: `${bound} ${format(ratio)}`, ratio: middle, ...range, reached }]
}

/** The marks whose two series were measured: the median of the rounds' ratios. */
export const judgeMarks = (tallies: Tallies<SeriesName>): readonly JudgedMark[] =>
  MARKS.flatMap(mark => judge(tallies, mark))
