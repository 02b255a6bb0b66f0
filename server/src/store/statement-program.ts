// A statement program: an intention of the store, as the statements that it asks and what it makes of the answers. It knows no
// database and waits for none, so that a store that answers at once and one that must be awaited run the same one.

import { channel } from 'node:diagnostics_channel'
import { isStorable } from '../domain/text/text.ts'

/** `Uint8Array`: bytes, an id of a token among them. Whole numbers stand for numbers, times and booleans (0 and 1). */
export type Value = string | number | Uint8Array | null

/**
 * One statement, in the SQL that every store understands: `?` for each value, names that are not one small word quoted.
 * What only one of them understands is in a hint, a comment to the others: see {@link byIndex}, {@link asBytes}.
 */
export type Statement = {
  readonly text: string
  readonly values: readonly Value[]
  /** `row`: the first one, so that the others need not be read. `changes`: how many rows it changed, and none of them. */
  readonly wants: 'rows' | 'row' | 'changes'
}

export type Answer = { readonly rows: readonly unknown[]; readonly changes: number }

/** It catches no fault of a statement: its runner ends it, and what it wrote is rolled back. */
export type Program<T> = Generator<Statement, T, Answer>

/** The text of each statement that a program asks. Without a subscriber nothing is published. */
export const STATEMENTS = channel('mintmark:statements')

/** What the edge let through is a fault here: no database is asked for what it would refuse, or keep as another text. */
const statement = (text: string, values: readonly Value[], wants: Statement['wants']): Statement => {
  if (STATEMENTS.hasSubscribers) STATEMENTS.publish(text)
  if (values.every(value => typeof value !== 'string' || isStorable(value))) return { text, values, wants }
  throw new Error(`A text that no store holds was given to: ${text}`)
}

/** All rows. The caller names a row's shape beside the columns that it lists. */
export function* all<Row>(text: string, ...values: readonly Value[]): Program<readonly Row[]> {
  const { rows } = yield statement(text, values, 'rows')
  return rows as readonly Row[]
}

/** The first row, if there is one. */
export function* first<Row>(text: string, ...values: readonly Value[]): Program<Row | undefined> {
  const { rows } = yield statement(text, values, 'row')
  return rows[0] as Row | undefined
}

/** The only row of a statement that always returns one. */
export function* only<Row>(text: string, ...values: readonly Value[]): Program<Row> {
  const row = yield* first<Row>(text, ...values)
  if (row === undefined) throw new Error(`The store has no row for: ${text}`)
  return row
}

/** Changes rows. Returns how many. */
export function* run(text: string, ...values: readonly Value[]): Program<number> {
  const { changes } = yield statement(text, values, 'changes')
  return changes
}

/** A statement program that asks nothing. */
export function* given<T>(value: T): Program<T> {
  yield* []
  return value
}

/** Hint: SQLite scans this index, where left to itself it would take another; PostgreSQL knows better. */
export const byIndex = (name: string): string => `/* index ${name} */`

/** Hint: the column as the bytes that are stored, where SQLite would give what they mean as text. */
export const asBytes = (column: string): string => `/* bytes */ ${column} as ${column}`
