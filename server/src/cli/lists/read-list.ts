// Lists as commands read and show them: one page with the way to the next, or all of it.
import type { Operation, PathOf } from '../../../../api/operation.ts'
import { PAGE_RECORDS_MAX } from '../../../../api/values/lists.ts'
import type { Shown } from '../administer.ts'
import type { Api, CallOf, Query } from '../remote/api.ts'
import { CommandFailed } from '../terminal/exit.ts'
import { areRecords, printLine, type PrintedRecord, printTable } from '../terminal/print.ts'

type Page = { readonly data: readonly PrintedRecord[]; readonly next_cursor: string | null }

type ListRequest<Row extends Operation> = {
  readonly query?: Query
  /** The members of a record that people see; the first is in every record. */
  readonly columns: readonly string[]
  /** Further ones, where these records need them. */
  readonly columnsFor?: (records: readonly PrintedRecord[]) => readonly string[]
  /** How people see the records; in order unless given. */
  readonly layOut?: (records: readonly PrintedRecord[]) => readonly PrintedRecord[]
} & (keyof PathOf<Row> extends never ? object : { readonly path: PathOf<Row> })

/** A list that is read to its end is no longer than this: what answers without end is not believed. */
const PAGES_MAX = 10_000

const readPage = (answer: PrintedRecord, [key = '']: readonly string[]): Page => {
  const { data, next_cursor: cursor } = answer
  if (areRecords(data) && data.every(one => key in one) && (cursor === null || typeof cursor === 'string')) {
    return { data, next_cursor: cursor }
  }
  throw new CommandFailed('The answer is no page of a list: is the URL that of a service of this version?')
}

const askPage = async <Row extends Operation>(api: Api, row: Row, request: ListRequest<Row>): Promise<Page> => {
  const { columns, columnsFor: _, layOut: __, ...call } = request
  return readPage(await api.call(row, call as unknown as CallOf<Row>), columns) // a list has no body
}

/** One page, as JSON with its cursor. */
export const showPage = async <Row extends Operation>(
  api: Api,
  row: Row,
  request: ListRequest<Row>,
): Promise<Shown> => {
  const page = await askPage(api, row, request)
  const forPeople = (): void => {
    const columns = [...request.columns, ...(request.columnsFor?.(page.data) ?? [])]
    printTable(columns, request.layOut?.(page.data) ?? page.data)
    if (page.next_cursor !== null) printLine(`There is more: repeat the command with --cursor ${page.next_cursor}`)
  }
  return { json: page, forPeople }
}

/** The records of every page. */
export const askAll = async <Row extends Operation>(
  api: Api,
  row: Row,
  request: ListRequest<Row>,
): Promise<readonly PrintedRecord[]> => {
  const data: PrintedRecord[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const query = { ...request.query, limit: PAGE_RECORDS_MAX, cursor }
    const page = await askPage(api, row, { ...request, query })
    for (const record of page.data) data.push(record)
    if (page.next_cursor === null) return data
    cursor = page.next_cursor
  }
  throw new CommandFailed('The list has no end.')
}

/** Every page, as JSON in one. */
export const showAll = async <Row extends Operation>(api: Api, row: Row, request: ListRequest<Row>): Promise<Shown> => {
  const data = await askAll(api, row, request)
  return { json: { data }, forPeople: () => printTable(request.columns, data) }
}
