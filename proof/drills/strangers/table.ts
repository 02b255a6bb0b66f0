// The table that the strangers drill prints: a line a stage.
import { KINDS, type Kind } from './honest-callers.ts'
import { type Observation, percent, shareOf } from './judge.ts'

type Column = { readonly title: string; readonly width: number }

const COLUMNS: readonly Column[] = [
  { title: 'store', width: 14 },
  { title: 'stage', width: 22 },
  { title: '', width: 4 },
  { title: 'strangers', width: 9 },
  { title: 'answers', width: 8 },
  ...KINDS.map(kind => ({ title: kind, width: 10 })),
  { title: 'p99 ms', width: 6 },
  { title: 'MiB before', width: 10 },
  { title: 'after', width: 6 },
  { title: 'peak', width: 6 },
]

/** The first three columns are words, the others numbers. */
const WORDS = 3

const lineOf = (cells: readonly string[]): string =>
  cells
    .map((cell, n) => {
      const width = COLUMNS[n]?.width ?? 0
      return n < WORDS ? cell.padEnd(width) : cell.padStart(width)
    })
    .join('  ')
    .trimEnd()

export const TABLE_HEAD = lineOf(COLUMNS.map(({ title }) => title))

const whole = (value: number): string => (Number.isNaN(value) ? '-' : String(Math.round(value)))

type Row = { readonly store: string; readonly stage: string; readonly isGood: boolean; readonly observed: Observation }

export const formatRow = ({ store, stage, isGood, observed }: Row): string => {
  const { honest, connections, statuses, residentBeforeMiB, residentAfterMiB } = observed
  const answers = [...statuses.values()].reduce((sum, count) => sum + count, 0)
  const share = (kind: Kind): string => (honest.asked[kind] === 0 ? '-' : percent(shareOf(honest, kind)))
  return lineOf([
    store,
    stage,
    isGood ? 'ok' : 'RED',
    String(connections),
    String(answers),
    ...KINDS.map(share),
    whole(honest.introspectionMs),
    whole(residentBeforeMiB),
    whole(residentAfterMiB),
    whole(observed.peakMiB),
  ])
}
