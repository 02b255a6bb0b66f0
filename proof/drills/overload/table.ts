// What the flood drill prints: for each flood a line about it, and a line for each kind of honest caller beside it.
import type { FloodCounts } from './flood-senders.ts'
import { KINDS, type Kind } from './honest.ts'
import { type Cell, type Figures, limitOf, missedOf } from './summary.ts'
import { percent } from '../strangers/judge.ts'

const TITLES = ['', 'calm p99', 'success', 'p50', 'p99', 'max', '503', 'first 503', 'after p99', 'bare p50', 'bare p99']
const FIRST_WIDTH = 16
const WIDTH = 10

const lineOf = (cells: readonly string[]): string =>
  cells.map((cell, n) => (n === 0 ? cell.padEnd(FIRST_WIDTH) : cell.padStart(WIDTH))).join('')

export const TABLE_HEAD = lineOf([...TITLES, 'wanted'])

const milliseconds = (value: number): string => {
  if (Number.isNaN(value)) return '-'
  return value < 10 ? value.toFixed(1) : String(Math.round(value))
}

const firstOf = ({ firstUnavailableMs }: Figures): string =>
  firstUnavailableMs === null ? '-' : milliseconds(firstUnavailableMs)

export const formatKind = (cell: Cell, kind: Kind): string => {
  const { calm, during, after, bare } = cell
  const own = during.kinds[kind]
  const missed = missedOf(cell, kind)
  const line = lineOf([
    `  ${kind}`,
    milliseconds(calm.kinds[kind].p99),
    percent(own.success),
    milliseconds(own.p50),
    milliseconds(own.p99),
    milliseconds(own.max),
    String(own.unavailable),
    firstOf(own),
    milliseconds(after.kinds[kind].p99),
    milliseconds(bare.kinds[kind].p50),
    milliseconds(bare.kinds[kind].p99),
    milliseconds(limitOf(cell, kind)),
  ])
  return missed.length === 0 ? line : `${line}  MISSED: ${missed.join('; ')}`
}

export const formatCell = (cell: Cell): readonly string[] => KINDS.map(kind => formatKind(cell, kind))

/** What became of a flood, in one line. */
export const formatFlood = ({ opened, served, lost, sent, statuses }: FloodCounts, seconds: number): string => {
  const answers = [...statuses.values()].reduce((sum, count) => sum + count, 0)
  const shares = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
  const rate = Math.round(answers / seconds)
  return `${sent} sent, ${rate} answers/s (${shares || 'none'}), ${opened} connections, ${served} served, ${lost} lost`
}
