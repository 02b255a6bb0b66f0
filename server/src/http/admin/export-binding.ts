// What an export does, apart from HTTP: a list read to its end, a page at a time, each as text.
import type { ExportFormat } from '../../../../api/exports.ts'
import type { Operation, QueryOf } from '../../../../api/operation.ts'
import { type Columns, csvHeader, csvLine } from '../../domain/lists/csv.ts'
import { isRefused, type OrRefusal } from '../../domain/refusal.ts'
import { exportPages, type ExportReader } from '../../operations/reading/export-pages.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import type { ReadList } from './binding.ts'

export type TextPage = { readonly text: string; readonly isLast: boolean }

/** Reads the next page; do not ask after the last, nor after a refusal. */
export type NextText = () => Promise<OrRefusal<TextPage>>

export type ExportBinding = {
  readonly kind: 'export'
  readonly row: Operation
  /** The name of the file. */
  readonly name: string
  readonly columns: Columns<never>
  readonly run: (ports: AdministrationPorts, caller: ExportReader, query: unknown) => NextText
}

/** NDJSON, whose lines are the records of the list, unless the query says otherwise. */
export const formatIn = (query: unknown): ExportFormat =>
  (query as { readonly format?: ExportFormat }).format ?? 'ndjson' // as every export has it

type Export<Row extends Operation, Filters, Found, Shown extends object> = {
  readonly name: string
  readonly filtersOf: (query: QueryOf<Row>) => Filters
  readonly list: ReadList<Filters, Found>
  /** A record as its list shows it, and as a line of a table. */
  readonly format: (found: Found) => Shown
  readonly columns: Columns<Shown>
}

/** Binds an operation that answers the records of a list, in either format. */
export const bindExport = <const Row extends Operation, Filters, Found, Shown extends object>(
  row: Row,
  { name, filtersOf, list, format, columns }: Export<Row, Filters, Found, Shown>,
): ExportBinding => ({
  kind: 'export',
  row,
  name,
  columns,
  run: (ports, caller, asked) => {
    const isTable = formatIn(asked) === 'csv'
    const lineOf = (found: Found): string =>
      isTable ? csvLine(columns, format(found)) : `${JSON.stringify(format(found))}\n`
    const filters = filtersOf(asked as QueryOf<Row>) // read by the schema of the row
    const next = exportPages(caller, { filters, list: (reader, request) => list(ports, reader, request) })
    let opening = isTable ? csvHeader(columns) : ''
    return async () => {
      const page = await next()
      if (isRefused(page)) return page
      const text = opening + page.records.map(lineOf).join('')
      opening = ''
      return { text, isLast: page.nextCursor === null }
    }
  },
})
