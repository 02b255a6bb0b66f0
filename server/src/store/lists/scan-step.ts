// A step of a scan in which the store leaves out rows by their columns: of all in a stretch of an index it hands out those that fit,
// and the last one, which says how far the scan has come.
import { all, first, type Program, type Value } from '../statement-program.ts'
import type { Condition } from './name-conditions.ts'

/** What one statement, or one step, found of a range. */
export type Found<Row> = {
  readonly rows: readonly Row[]
  /** How many of the rows that a request may examine each row accounts for: see `Met`. */
  readonly scanned: readonly number[]
  readonly isLast: boolean
}

/** How many rows a step scans for each row that it may return. */
const SCANNED_FOR_ONE = 10
/** A range of an index, as SQL. Its values are those of its key, of its lower and of its upper bound. */
export type Range = {
  readonly columns: string
  /** Those of the order alone: an index holds them. */
  readonly position: string
  readonly rows: string
  readonly order: string
  /** How many rows that are left out cost as much as one that is returned: together they count as one. */
  readonly leftOutAsOne: number
}

/** In the order of the table, and by an index from which each row is looked up in the table. */
export const LEFT_OUT_AS_ONE = { ofTable: 20, byIndex: 5 } as const

/** Selects the position behind so many rows. */
export const endOf = ({ position, rows, order }: Range): string =>
  `select ${position} ${rows} ${order} limit 1 offset ?`

// A condition that no planner sees through: of two it would read a row twice, or take another index and sort.
const fitting = ({ columns, rows, order }: Range, { sql }: Condition): string =>
  `select ${columns} ${rows} and case when ${sql} then 1 when id = ? then 1 else 0 end = 1 ${order} limit ?`

type Placed = { readonly id: Uint8Array }

/** The values of a range. */
export type Place<End> = {
  readonly key: readonly Value[]
  readonly low: readonly Value[]
  readonly high: readonly Value[]
  /** Those of a lower bound at this row. */
  readonly lowAt: (end: End) => readonly Value[]
}

const NO_ID = new Uint8Array(16)

/** The next rows that fit, at most `limit`. */
export function* readStep<Row extends Placed, End extends Placed = Row>(
  range: Range,
  { key, low, high, lowAt }: Place<End>,
  condition: Condition,
  limit: number,
): Program<Found<Row>> {
  const scanned = SCANNED_FOR_ONE * limit
  const end = yield* first<End>(endOf(range), ...key, ...low, ...high, scanned - 1)
  const bound = end === undefined ? low : lowAt(end)
  const values = [...key, ...bound, ...high, ...condition.values, end?.id ?? NO_ID]
  const rows = yield* all<Row>(fitting(range, condition), ...values, limit)
  const isCut = rows.length === limit
  // It is not known between which rows the others were left out: they all count with the last row.
  const atLast = isCut || end === undefined ? 1 : Math.ceil((scanned - rows.length + 1) / range.leftOutAsOne)
  return {
    rows,
    scanned: rows.map((_, n) => (n === rows.length - 1 ? atLast : 1)),
    isLast: end === undefined && !isCut,
  }
}
