// Whether what a soak measured is flat: the last third of it against the second.

export type SoakRow = {
  readonly seconds: number
  readonly perSecond: number
  readonly failed: number
  readonly introspectionP99: number
  readonly issueP99: number
  readonly residentMiB: number
  readonly descriptors: number
  /** NaN where the store has no such file. */
  readonly walMiB: number
}

type Measure = {
  readonly name: string
  readonly unit: string
  readonly of: (row: SoakRow) => number
  /** It may grow by this share, and by so much in any case. */
  readonly share: number
  readonly least: number
}

const MEASURES: readonly Measure[] = [
  { name: 'memory', unit: 'MiB', of: ({ residentMiB }) => residentMiB, share: 0.05, least: 10 },
  { name: 'descriptors', unit: '', of: ({ descriptors }) => descriptors, share: 0.05, least: 4 },
  { name: 'the WAL', unit: 'MiB', of: ({ walMiB }) => walMiB, share: 0.25, least: 8 },
  { name: "introspection's p99", unit: 'ms', of: ({ introspectionP99 }) => introspectionP99, share: 0.25, least: 5 },
  { name: "an issue's p99", unit: 'ms', of: ({ issueP99 }) => issueP99, share: 0.25, least: 5 },
]

const ROWS_MIN = 6

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** What grew, a line each: medians, so that one bad minute of the machine is no growth. */
export const judgeSoak = (rows: readonly SoakRow[]): readonly string[] => {
  if (rows.length < ROWS_MIN) return [`only ${rows.length} rows: too few to distinguish growth from chance`]
  const third = Math.floor(rows.length / 3)
  const [second, last] = [rows.slice(-2 * third, -third), rows.slice(-third)]
  return MEASURES.flatMap(({ name, unit, of, share, least }) => {
    const [before, after] = [medianOf(second.map(of)), medianOf(last.map(of))]
    const most = before + Math.max(share * before, least)
    return after > most ? [`${name} grew from ${before.toFixed(1)} to ${after.toFixed(1)} ${unit}`.trimEnd()] : []
  })
}
