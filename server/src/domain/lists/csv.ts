// Comma-separated values (RFC 4180), written so that no spreadsheet runs the text of a cell as a formula.

/** A cell of the file; null is an empty one. */
type Cell = string | number | null

/** The columns of a file, by name and in order. */
export type Columns<R> = Readonly<Record<string, (record: R) => Cell>>

/**
 * The places where a spreadsheet finds the start of a formula, including full-width forms, which some locales treat alike (OWASP,
 * CSV Injection): at the start of a cell; and inside it, after a character that a spreadsheet with another separator than the
 * comma uses as one, because it then splits the cell, regardless of quotes. Existing apostrophes before it are part of the match,
 * so that removing one apostrophe restores exactly the original text.
 */
const FORMULA = /^(?='*[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])(?='*[=+\-@＝＋－＠])/g

/** An apostrophe marks what follows it as text. */
const defuse = (text: string): string => text.replaceAll(FORMULA, "'")

/** RFC 4180 §2 requires quotes around the first three; around the others they are harmless, and protect careless parsers. */
const QUOTED = /[",\r\n;\t']|^\s|\s$/

const cellText = (cell: Cell): string => {
  const text = typeof cell === 'string' ? defuse(cell) : String(cell ?? '')
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const line = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`

/** The first line: the names of the columns. */
export const csvHeader = (columns: Columns<never>): string => line(Object.keys(columns))

/** The line of a record. */
export const csvLine = <R>(columns: Columns<R>, record: R): string =>
  line(Object.values(columns).map(cellOf => cellOf(record)))
