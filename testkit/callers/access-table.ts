// Reads the tables of access.md: what every credential may do, as it is promised.
import { readFileSync } from 'node:fs'

/** `✓`, or the status of a refusal, by column. */
export type Row = ReadonlyMap<string, string>

const DOCUMENT = new URL('access.md', import.meta.url)

const cellsOf = (line: string): readonly string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map(cell => cell.trim())

/** The rows by operation, in their order. */
export const readAccessTable = (): ReadonlyMap<string, Row> => {
  const rows = new Map<string, Row>()
  let columns: readonly string[] = []
  for (const line of readFileSync(DOCUMENT, 'utf8').split('\n')) {
    const [first = '', ...cells] = cellsOf(line)
    if (first === 'operation') columns = cells
    const operation = /^`([A-Z]+ \S+)`$/.exec(first)?.[1]
    if (operation === undefined) continue
    if (rows.has(operation)) throw new Error(`testkit/callers/access.md has two rows of ${operation}.`)
    rows.set(operation, new Map(columns.map((column, n) => [column, cells[n] ?? ''])))
  }
  return rows
}
