// Pages of a table by time and number, newest first: each page seeks its place in one index, whatever the table holds.
import { PAGE_EXAMINED_MAX, type Page, type PageRequest } from '../../domain/lists/page.ts'
import { all, byIndex, type Program, type Value } from '../statement-program.ts'

type Placed = { readonly number: number; readonly at: number }

/** Where the rows are, and by which index they are scanned: by time, or by time within one value of a column. */
export type Scan = {
  readonly table: string
  readonly columns: string
  readonly index: string
  readonly only: { readonly column: string; readonly value: Value } | null
}

type Period = { readonly since: number | null; readonly before: number | null }

// `column = ?` would leave PostgreSQL the index by time alone, which it takes where that one is in the order of the rows: a
// page of what is rare would read the whole log. Compared and ordered as one, the column has to lead.
const newestFirst = ({ table, columns, index, only }: Scan): string => {
  const key = only === null ? '' : `${only.column}, `
  const [place, has] = only === null ? ['', ''] : ['?, ', `${only.column} is not null and `]
  return `select ${columns} from ${table} ${byIndex(index)}
    where ${has}(${key}at) >= (${place}?) and (${key}at, n) < (${place}?, ?)
    order by ${only === null ? '' : `${only.column} desc, `}at desc, n desc limit ?`
}

const STEP_ROWS = 256
const NO_POSITION = { at: Number.MAX_SAFE_INTEGER, number: 0 }

/** Numbers are greater than 0, so that (`before`, 0) stands below every row of that time. */
const startOf = ({ after, filters: { before } }: PageRequest<Period>): Placed => {
  const position = after === null ? NO_POSITION : { at: after.at, number: Number(after.id) }
  return before !== null && before <= position.at ? { at: before, number: 0 } : position
}

type Rows<Row, R> = {
  readonly scan: Scan
  readonly read: (row: Row) => R
  /** Whether the page has room for it; the index asks only for one thing. */
  readonly keeps: (record: R) => boolean
}

/** One page. It looks at a bounded number of rows, so that one of a rare combination may be short, even empty. */
export function* readNewest<Row extends Placed, R>(
  { scan, read, keeps }: Rows<Row, R>,
  request: PageRequest<Period>,
): Program<Page<R>> {
  const select = newestFirst(scan)
  const only = scan.only === null ? [] : [scan.only.value]
  const since = request.filters.since ?? 0
  const step = Math.max(STEP_ROWS, request.limit + 1)
  const records: R[] = []
  let at = startOf(request)
  let examined = 0
  for (;;) {
    const rows: readonly Row[] = yield* all<Row>(select, ...only, since, ...only, at.at, at.number, step)
    for (const row of rows) {
      if (records.length === request.limit || examined === PAGE_EXAMINED_MAX) {
        return { records, next: { at: at.at, id: String(at.number) }, examined }
      }
      const record = read(row)
      if (keeps(record)) records.push(record)
      at = row
      examined += 1
    }
    if (rows.length < step) return { records, next: null, examined }
  }
}
