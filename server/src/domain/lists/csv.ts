// Comma-separated values (RFC 4180), made so that no spreadsheet runs what somebody wrote into a cell.

/** Null is an empty cell. */
type Cell = string | number | null

/** The columns of a file, by their names and in their order. */
export type Columns<R> = Readonly<Record<string, (record: R) => Cell>>

/**
 * Where a spreadsheet would find the beginning of a formula, full-width forms too, which some locales read alike (OWASP,
 * CSV Injection): at the front of a cell; and inside of it, behind what a spreadsheet that is set to another separator than the
 * comma takes for one, for it then cuts the cell in two, whatever the quotes say. Apostrophes that stand there already
 * count with it, so that taking one away gives back exactly what was there.
 */
const FORMULA = /^(?='*[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])(?='*[=+\-@＝＋－＠])/g

/** An apostrophe makes a text of what follows it. */
const defuse = (text: string): string => text.replaceAll(FORMULA, "'")

/** RFC 4180 §2 asks for quotes around the first three; around the others they do no harm, and keep careless readers right. */
const QUOTED = /[",\r\n;\t']|^\s|\s$/

const cellText = (cell: Cell): string => {
  const text = typeof cell === 'string' ? defuse(cell) : String(cell ?? '')
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const line = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`

/** The first line: the names of the columns. */
export const csvHeader = (columns: Columns<never>): string => line(Object.keys(columns))

/** One line of a record. */
export const csvLine = <R>(columns: Columns<R>, record: R): string =>
  line(Object.values(columns).map(cellOf => cellOf(record)))
