// How a table fits where it is shown: as wide as it is, else with cells folded between their words, else one record below
// another. Nothing is ever cut off, and no word is broken: an id can be copied whichever way it stands.

// How many columns of a terminal a printable text takes.

const MARK = /^[\p{M}]$/u
/** Two columns each: the scripts of East Asia, their punctuation and full-width forms, and emoji. */
const WIDE =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]$/u

/** One column each: nearly every text. */
const NARROW = /^[\x20-\x7e]*$/

/** In columns. */
const textWidth = (text: string): number => {
  if (NARROW.test(text)) return text.length
  let width = 0
  for (const character of text) width += MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return width
}

/** Filled with spaces to so many columns where it takes fewer. */
const padText = (text: string, columns: number): string => text + ' '.repeat(Math.max(0, columns - textWidth(text)))

type Row = readonly string[]

const GAP = 2

/** Math.max takes so many numbers as fit on the stack; another service may answer with more rows and words than that. */
const largest = (numbers: readonly number[]): number => numbers.reduce((most, one) => Math.max(most, one), 0)

const totalOf = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1))

const widthsOf = (rows: readonly Row[], measure: (cell: string) => number): readonly number[] =>
  (rows[0] ?? []).map((_, n) => largest(rows.map(row => measure(row[n] ?? ''))))

const longestWord = (cell: string): number => largest(cell.split(' ').map(textWidth))

/** Takes from the widest column that may be folded until all fit; undefined where they cannot. */
const squeeze = (
  natural: readonly number[],
  least: readonly number[],
  width: number,
): readonly number[] | undefined => {
  if (totalOf(least) > width) return undefined
  const widths = [...natural]
  for (let over = totalOf(widths) - width; over > 0; over -= 1) {
    const room = widths.map((one, n) => (one > (least[n] ?? 0) ? one : 0))
    const widest = room.indexOf(largest(room))
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

/** A cell as lines of at most this width. */
const fold = (cell: string, width: number): readonly string[] => {
  const lines: string[] = []
  for (const word of cell.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && textWidth(last) + 1 + textWidth(word) <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

const joinCells = (cells: Row, widths: readonly number[]): string =>
  cells
    .map((cell, n) => padText(cell, widths[n] ?? 0))
    .join(' '.repeat(GAP))
    .trimEnd()

const foldRow = (row: Row, widths: readonly number[]): readonly string[] => {
  const cells = row.map((cell, n) => fold(cell, widths[n] ?? 0))
  const height = largest(cells.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) =>
    joinCells(
      cells.map(cell => cell[line] ?? ''),
      widths,
    ),
  )
}

/** One name and value a line. */
export const layOutRecord = (pairs: readonly (readonly [string, string])[]): readonly string[] => {
  const width = largest(pairs.map(([name]) => textWidth(name)))
  return pairs.map(([name, cell]) => padText(name, width + GAP) + cell)
}

/** The lines of a table of `rows` under `names`, for a terminal of so many columns. */
export const layOutTable = (names: Row, rows: readonly Row[], width: number): readonly string[] => {
  const all = [names, ...rows]
  const natural = widthsOf(all, textWidth)
  if (rows.length === 0 || totalOf(natural) <= width) return all.map(row => joinCells(row, natural))
  const widths = squeeze(natural, widthsOf(all, longestWord), width)
  if (widths !== undefined) return all.flatMap(row => foldRow(row, widths))
  return rows.flatMap((row, n) => {
    const record = layOutRecord(names.map((name, at) => [name, row[at] ?? ''] as const))
    return n === 0 ? record : ['', ...record]
  })
}
