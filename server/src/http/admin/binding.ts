// What the administration does for each operation of the API, apart from HTTP: the command line runs the same on the
// store of its machine.
import type { z } from 'zod'
import type { Answer, BodyOf, FormOf, Operation, PathOf, QueryOf } from '../../../../api/operation.ts'
import { PAGE_RECORDS_DEFAULT } from '../../../../api/values/lists.ts'
import type { Administrator, Origin } from '../../domain/caller.ts'
import type { NameFilters } from '../../domain/lists/page.ts'
import { isRefused, type OrRefusal } from '../../domain/refusal.ts'
import type { ListPage, ListRequest } from '../../operations/reading/read-page.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'

type Values = Readonly<Record<string, string>>

/** A request whose parts were read by the schemas of its row. */
export type Input<Path = Values, Query = unknown, Body = unknown> = {
  readonly path: Path
  readonly query: Query
  readonly body: Body
}

type SentOf<Row extends Operation> = Row extends { readonly form: z.ZodObject } ? FormOf<Row> : BodyOf<Row>
type InputOf<Row extends Operation> = Input<PathOf<Row>, QueryOf<Row>, SentOf<Row>>

/** `location` is a path below the base URL. */
export type Answered = { readonly status: number; readonly body: unknown; readonly location?: string }

export type ActBinding<Needed = AdministrationPorts> = {
  readonly kind: 'act'
  readonly row: Operation
  readonly run: (ports: Needed, origin: Origin, input: Input) => Promise<OrRefusal<Answered>>
}

export type ListBinding = {
  readonly kind: 'list'
  readonly row: Operation
  readonly run: (ports: AdministrationPorts, reader: Administrator, input: Input) => Promise<OrRefusal<PageAnswer>>
}

export type Binding = ActBinding | ListBinding

export type PageAnswer = {
  readonly data: readonly object[]
  readonly next_cursor: string | null
  readonly unknown?: readonly string[]
}

type Shown<Body> = Body extends Answer ? (Body extends z.ZodType ? z.input<Body> : unknown) : never
type ShownBy<Row extends Operation> = {
  [Status in keyof Row['answers']]: Shown<Row['answers'][Status]>
}[keyof Row['answers']]

type Act<Row extends Operation, Found extends object, Needed> = {
  readonly run: (ports: Needed, origin: Origin, input: InputOf<Row>) => Promise<OrRefusal<Found>>
  /** The body of the answer; none where it is left out. */
  readonly answer?: (found: Found) => ShownBy<Row>
  /** Where what was made is found: a path below the base URL. */
  readonly location?: (found: Found) => string | null
  /** Where the row has several. */
  readonly status?: (found: Found) => keyof Row['answers'] & number
}

/** Binds an operation that answers one record, or nothing. */
export const bind = <const Row extends Operation, Found extends object, Needed = AdministrationPorts>(
  row: Row,
  { run, answer, location, status }: Act<Row, Found, Needed>,
): ActBinding<Needed> => {
  const [only = 200] = Object.keys(row.answers).map(Number)
  return {
    kind: 'act',
    row,
    run: async (ports, origin, input) => {
      const found = await run(ports, origin, input as InputOf<Row>) // read by the schemas of the row
      if (isRefused(found)) return found
      const where = location?.(found) ?? null
      return { status: status?.(found) ?? only, body: answer?.(found), ...(where !== null && { location: where }) }
    },
  }
}

type PagingQuery = { readonly limit?: number | undefined; readonly cursor?: string | undefined }

type NameQuery = { readonly [Name in 'name' | 'name_prefix' | 'q']?: string | undefined }

/** The filters of a list of records that have a name. */
export const nameFiltersOf = ({ name, name_prefix: namePrefix, q: search }: NameQuery): NameFilters => ({
  name: name ?? null,
  namePrefix: namePrefix ?? null,
  search: search ?? null,
})

export type ReadList<Filters, Found> = (
  ports: AdministrationPorts,
  reader: Administrator,
  request: ListRequest<Filters>,
) => Promise<OrRefusal<ListPage<Found>>>

type List<Row extends Operation, Filters, Found> = {
  readonly filtersOf: (query: QueryOf<Row>, path: PathOf<Row>) => Filters
  readonly list: ReadList<Filters, Found>
  readonly format: (record: Found) => object
  /** Well-formed names that the query asks for and that this version does not know. */
  readonly unknownIn?: (query: QueryOf<Row>) => readonly string[]
}

/** Binds an operation that answers a page. */
export const bindList = <const Row extends Operation, Filters, Found>(
  row: Row,
  { filtersOf, list, format, unknownIn }: List<Row, Filters, Found>,
): ListBinding => ({
  kind: 'list',
  row,
  run: async (ports, reader, input) => {
    const { path, query } = input as InputOf<Row> // read by the schemas of the row
    const { limit = PAGE_RECORDS_DEFAULT, cursor = null } = (query ?? {}) as PagingQuery // of every list
    const page = await list(ports, reader, { filters: filtersOf(query, path), limit, cursor })
    if (isRefused(page)) return page
    const unknown = unknownIn?.(query) ?? []
    const data = page.records.map(record => format(record))
    return { data, next_cursor: page.nextCursor, ...(unknown.length > 0 && { unknown }) }
  },
})
