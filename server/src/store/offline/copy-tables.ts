// In this folder: work on a whole store, for both databases: restore, moves, re-encryption, checks of the audit log.
// Copies the rows of a store into another one, a page at a time, and proves that both have the same.
import { createHash, type Hash } from 'node:crypto'
import type { StoreMaker } from '../store-options.ts'
import { StoreProblem } from '../store-problem.ts'
import type { Page, Row, RowSource, RowTarget, Table } from '../tables.ts'

const ROWS_A_PAGE = 1000

/** What one table holds: how many rows, and a hash over all of them in the order of the key. */
export type TableDigest = { readonly table: string; readonly rows: number; readonly sha256: string }

/** What is copied of a store, as of one moment. */
export type CopiedRows = {
  readonly rows: RowSource
  /** The last number that was given in a table, also where its row is gone. */
  readonly lastGiven: ReadonlyMap<string, number>
  readonly madeBy: StoreMaker
  /** Every act that was acknowledged before is in them. */
  readonly madeAt: number
}

/** Called with how many rows of a table are done. */
export type OnRows = (table: string, rows: number) => void

/** The key of a row. */
export const keyOf = ({ key }: Table, columns: readonly string[], row: Row): Row =>
  key.map(name => row[columns.indexOf(name)] ?? null)

/** The statement of a page, which both databases understand, and its values. */
export const pageStatement = ({ table, columns, after, limit }: Page) => {
  const order = table.key.join(', ')
  const where = after === null ? '' : `where (${order}) > (${after.map(() => '?').join(', ')})`
  const text = `select ${columns.join(', ')} from ${table.name} ${where} order by ${order} limit ?`
  return { text, values: [...(after ?? []), limit] }
}

async function* pagesOf(source: RowSource, table: Table, columns: readonly string[], from: Row | null) {
  let after = from
  for (;;) {
    const rows = await source.page({ table, columns, after, limit: ROWS_A_PAGE } satisfies Page)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    // Also where others go on to write: a copy only as fast as they write would not come to an end.
    if (rows.length < ROWS_A_PAGE) return
    after = keyOf(table, columns, last)
  }
}

/** The columns of a table; throws where the two stores do not have the same. */
export const sameColumns = async (source: RowSource, target: RowSource, table: Table): Promise<readonly string[]> => {
  const [columns, others] = [await source.columns(table), await target.columns(table)]
  if (columns.join() === others.join()) return columns
  throw new StoreProblem(
    `The two stores are of different versions: their tables ${table.name} differ. Migrate both first.`,
  )
}

/** Goes on after the last row that the target has. */
export const copyTable = async (
  source: RowSource,
  target: RowTarget,
  { table, last, onRows }: { readonly table: Table; readonly last: Row | null; readonly onRows?: OnRows },
): Promise<void> => {
  const columns = await sameColumns(source, target, table)
  let done = 0
  for await (const rows of pagesOf(source, table, columns, last)) {
    await target.write(table, columns, rows)
    done += rows.length
    onRows?.(table.name, done)
  }
}

const addRow = (hash: Hash, row: Row): void => {
  for (const value of row) {
    const bytes = value instanceof Uint8Array ? value : Buffer.from(JSON.stringify(value))
    // The length, and whether it is bytes: no two rows have one encoding.
    hash.update(`${value instanceof Uint8Array ? 'b' : 'j'}${bytes.length} `).update(bytes)
  }
}

const digestTable = async (source: RowSource, table: Table, onRows?: OnRows): Promise<TableDigest> => {
  const columns = await source.columns(table)
  const hash = createHash('sha256')
  let count = 0
  for await (const rows of pagesOf(source, table, columns, null)) {
    for (const row of rows) addRow(hash, row)
    count += rows.length
    onRows?.(table.name, count)
  }
  return { table: table.name, rows: count, sha256: hash.digest('hex') }
}

/** What both hold of a table; throws where that is not the same. `onRows` is called with the target's. */
export const verifyTable = async (
  source: RowSource,
  target: RowSource,
  table: Table,
  onRows?: OnRows,
): Promise<TableDigest> => {
  const [is, was] = await Promise.all([digestTable(target, table, onRows), digestTable(source, table)])
  if (is.rows === was.rows && is.sha256 === was.sha256) return is
  throw new StoreProblem(
    `The copy of ${table.name} is not what was copied: ${is.rows} rows of ${was.rows}, or other ones. Begin anew with an empty database.`,
  )
}
