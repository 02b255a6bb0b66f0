// The options of the two lists of tokens: their filters, as the parameters of the lists on the wire, and their paging.
import { type Command, InvalidArgumentError } from 'commander'
import { PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX, type TokenFilters } from '../domain/page.ts'
import { parseScopeItem } from '../domain/scope.ts'
import { parseTime } from '../domain/time.ts'
import { parseUuid } from '../domain/token-id.ts'
import type { ListPage, ListRequest } from '../operations/read-page.ts'
import { printJson, printLine, printTable } from './print.ts'

export type ListOptions = {
  readonly agent?: string
  readonly client?: string
  readonly scope?: string
  readonly issuedAfter?: number
  readonly issuedBefore?: number
  readonly limit: number
  readonly cursor?: string
  readonly json?: boolean
}

/** A parser of an option, which ends the command with what was expected. */
export const expecting =
  <T>(parse: (text: string) => T | undefined, expected: string) =>
  (text: string): T => {
    const value = parse(text)
    if (value === undefined) throw new InvalidArgumentError(`Expected ${expected}.`)
    return value
  }

export const readTime = expecting(parseTime, 'an RFC 3339 time such as 2026-11-21T09:30:05Z')

const readLimit = expecting(
  text => (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= PAGE_RECORDS_MAX ? Number(text) : undefined),
  `a whole number from 1 to ${PAGE_RECORDS_MAX}`,
)

export const addListOptions = (command: Command): Command =>
  command
    .option('--agent <agent-id>', 'only tokens of this agent', expecting(parseUuid, 'a UUID'))
    .option('--client <client-id>', 'only tokens of this client')
    .option('--scope <item>', 'only tokens that carry this item', expecting(parseScopeItem, 'resource:action'))
    .option('--issued-after <time>', 'only tokens issued then or later', readTime)
    .option('--issued-before <time>', 'only tokens issued earlier', readTime)
    .option('--limit <n>', `at most so many, up to ${PAGE_RECORDS_MAX}`, readLimit, PAGE_RECORDS_DEFAULT)
    .option('--cursor <cursor>', 'go on where a page with the same filters ended')

export const tokenFiltersOf = (options: ListOptions): TokenFilters => ({
  agentId: options.agent ?? null,
  clientId: options.client ?? null,
  scope: options.scope ?? null,
  issuedAfter: options.issuedAfter ?? null,
  issuedBefore: options.issuedBefore ?? null,
})

export const pagingOf = ({ limit, cursor }: ListOptions): Omit<ListRequest<unknown>, 'filters'> => ({
  limit,
  cursor: cursor ?? null,
})

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

type Shown<R> = {
  readonly page: ListPage<R>
  readonly columns: readonly string[]
  readonly format: (record: R) => Readonly<Record<string, unknown>>
}

/** A page as the wire has it, or the columns for people. */
export const printPage = <R>({ page, columns, format }: Shown<R>, asJson: boolean): void => {
  const records = page.records.map(format)
  if (asJson) return printJson({ data: records, next_cursor: page.nextCursor })
  printTable(
    columns,
    records.map(record => Object.fromEntries(columns.map(column => [column, textOf(record[column])]))),
  )
  if (page.nextCursor !== null) printLine(`There is more: repeat the command with --cursor ${page.nextCursor}`)
}
