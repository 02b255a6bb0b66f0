// How commands print: JSON with the names of the wire, or lines for people.
import type { Writable } from 'node:stream'

/**
 * Lets a reader that has seen enough, such as `head`, go away: what is still printed is lost, what the command does is
 * done, and it ends as it would have. Any other fault of the output, such as a full disk, stays one.
 */
export const endQuietlyWithReader = (output: Writable): void => {
  output.on('error', (fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'EPIPE') throw fault
  })
}

export const printLine = (text: string): void => void process.stdout.write(`${text}\n`)

export const printJson = (value: unknown): void => printLine(JSON.stringify(value))

type Cell = string | number | boolean | null | readonly string[]

const formatCell = (value: Cell): string => {
  if (value === null) return '-'
  return typeof value === 'object' ? value.join(' ') || '-' : String(value)
}

/** One name and value a line. */
export const printRecord = (record: Readonly<Record<string, Cell>>): void => {
  const width = Math.max(...Object.keys(record).map(name => name.length))
  for (const [name, value] of Object.entries(record)) printLine(`${name.padEnd(width)}  ${formatCell(value)}`)
}

/** Columns under their names. */
export const printTable = (columns: readonly string[], rows: readonly Readonly<Record<string, Cell>>[]): void => {
  const lines = [columns, ...rows.map(row => columns.map(column => formatCell(row[column] ?? null)))]
  const widths = columns.map((_, n) => Math.max(...lines.map(line => line[n]?.length ?? 0)))
  for (const line of lines)
    printLine(
      line
        .map((cell, n) => cell.padEnd(widths[n] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}
