// The screen of `mintmark top`: a line an agent, cut to the width of the terminal; columns that do not fit are left out.
import { formatCell, type PrintedRecord } from './print.ts'
import type { ScreenSize } from './live-screen.ts'
import { fitText, textWidth } from './text-width.ts'

type Column = {
  readonly name: string
  readonly title: string
  readonly align: 'left' | 'right'
  /** In columns of the terminal, at most; the first also the least that it needs. */
  readonly widths: readonly [least: number, most: number]
  /** Those with the greatest number go first where not all fit. */
  readonly omit: number
}

// Numbers first: text that runs from right to left then moves none of them. `state` keeps name and owner apart.
const COLUMNS: readonly Column[] = [
  { name: 'tokens_last_minute', title: 'MIN', align: 'right', widths: [5, 9], omit: 0 },
  { name: 'tokens_last_hour', title: 'HOUR', align: 'right', widths: [6, 9], omit: 4 },
  { name: 'tokens_last_day', title: 'DAY', align: 'right', widths: [7, 10], omit: 5 },
  { name: 'live_tokens', title: 'LIVE', align: 'right', widths: [6, 6], omit: 3 },
  { name: 'refusals', title: 'REFUSED', align: 'right', widths: [7, 7], omit: 6 },
  { name: 'last_issued_at', title: 'LAST', align: 'left', widths: [24, 24], omit: 8 },
  { name: 'agent_id', title: 'AGENT', align: 'left', widths: [36, 36], omit: 7 },
  { name: 'name', title: 'NAME', align: 'left', widths: [12, 100], omit: 0 },
  { name: 'state', title: 'STATE', align: 'left', widths: [8, 8], omit: 2 },
  { name: 'owner', title: 'OWNER', align: 'left', widths: [10, 100], omit: 1 },
]

const GAP = 1

export const TOP_COLUMNS: readonly string[] = COLUMNS.map(({ name }) => name)

const leastOf = (columns: readonly Column[]): number =>
  columns.reduce((sum, { widths: [least] }) => sum + least + GAP, -GAP)

const fitting = (width: number): readonly Column[] => {
  let columns = COLUMNS
  while (leastOf(columns) > width) {
    const omit = Math.max(...columns.map(column => column.omit))
    if (omit === 0) break
    columns = columns.filter(column => column.omit !== omit)
  }
  return columns
}

/** What is left over goes to those that can use it, from the left. */
const widthsOf = (columns: readonly Column[], cells: readonly (readonly string[])[], width: number) => {
  let left = Math.max(0, width - leastOf(columns))
  return columns.map(({ title, widths: [least, most] }, n) => {
    const wanted = Math.min(most, Math.max(title.length, ...cells.map(row => textWidth(row[n] ?? ''))))
    const given = Math.min(left, Math.max(0, wanted - least))
    left -= given
    return least + given
  })
}

const alignCell = (cell: string, align: Column['align'], width: number): string => {
  const room = width - textWidth(cell)
  return align === 'right' && room > 0 ? ' '.repeat(room) + cell : fitText(cell, width)
}

/** `remark`: what went wrong, or null. At most as many lines as the terminal has. */
export const layOutTop = (
  records: readonly PrintedRecord[],
  { columns: width, rows }: ScreenSize,
  remark: string | null,
): readonly string[] => {
  const columns = fitting(width)
  const shown = records.slice(0, Math.max(0, rows - 2))
  const cells = [
    columns.map(({ title }) => title),
    ...shown.map(one => columns.map(({ name }) => formatCell(one[name]))),
  ]
  const widths = widthsOf(columns, cells.slice(1), width)
  const lines = cells.map(row =>
    columns.map(({ align }, n) => alignCell(row[n] ?? '', align, widths[n] ?? 0)).join(' '.repeat(GAP)),
  )
  const foot = remark ?? `${records.length} agents by tokens of the last minute; q leaves`
  return [fitText(foot, width), ...lines.map(line => fitText(line, width))].map(line => line.trimEnd())
}
