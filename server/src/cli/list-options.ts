// The options of commands that print a page of a long list: paging, and the filters of the two lists of tokens.
import { type Command, InvalidArgumentError } from 'commander'
import { PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX, type TokenFilters } from '../domain/page.ts'
import { parseScopeItem } from '../domain/scope.ts'
import { parseTime } from '../domain/time.ts'
import { parseUuid } from '../domain/token-id.ts'
import type { ListPage, ListRequest } from '../operations/read-page.ts'
import { printJson, printLine, printTable } from './print.ts'

export type PagingOptions = {
  readonly limit: number
  readonly cursor?: string
  readonly json?: boolean
}

export type ListOptions = PagingOptions & {
  readonly agent?: string
  readonly client?: string
  readonly scope?: string
  readonly issuedAfter?: number
  readonly issuedBefore?: number
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

export const addPaging = (command: Command): Command =>
  command
    .option('--limit <n>', `at most so many, up to ${PAGE_RECORDS_MAX}`, readLimit, PAGE_RECORDS_DEFAULT)
    .option('--cursor <cursor>', 'go on where a page with the same filters ended')

export const addListOptions = (command: Command): Command =>
  addPaging(
    command
      .option('--agent <agent-id>', 'only tokens of this agent', expecting(parseUuid, 'a UUID'))
      .option('--client <client-id>', 'only tokens of this client')
      .option('--scope <item>', 'only tokens that carry this item', expecting(parseScopeItem, 'resource:action'))
      .option('--issued-after <time>', 'only tokens issued then or later', readTime)
      .option('--issued-before <time>', 'only tokens issued earlier', readTime),
  )

export const tokenFiltersOf = (options: ListOptions): TokenFilters => ({
  agentId: options.agent ?? null,
  clientId: options.client ?? null,
  scope: options.scope ?? null,
  issuedAfter: options.issuedAfter ?? null,
  issuedBefore: options.issuedBefore ?? null,
})

export const pagingOf = ({ limit, cursor }: PagingOptions): Omit<ListRequest<unknown>, 'filters'> => ({
  limit,
  cursor: cursor ?? null,
})

const textOf = (value: unknown): string | null => {
  if (typeof value === 'number') return value.toString()
  return typeof value === 'string' ? value : null
}

type Shown<R> = {
  readonly page: ListPage<R>
  readonly columns: readonly string[]
  readonly format: (record: R) => Readonly<Record<string, unknown>>
  /** What people see of a record in place of what JSON has. */
  readonly shorten?: (record: R) => Readonly<Record<string, string | null>>
}

/** A page as the wire has it, or the columns for people. */
export const printPage = <R>({ page, columns, format, shorten }: Shown<R>, asJson: boolean): void => {
  if (asJson) return printJson({ data: page.records.map(format), next_cursor: page.nextCursor })
  printTable(
    columns,
    page.records.map(record => {
      const shown = { ...format(record), ...shorten?.(record) }
      return Object.fromEntries(columns.map(column => [column, textOf(shown[column])]))
    }),
  )
  if (page.nextCursor !== null) printLine(`There is more: repeat the command with --cursor ${page.nextCursor}`)
}
