// mintmark audit refusals
import { type Command, Option } from 'commander'
import { type RefusalFilters, refusalRecord, type Way, WAYS } from '../domain/attempt.ts'
import type { Milliseconds } from '../domain/time.ts'
import { listRefusals } from '../operations/list-refusals.ts'
import { administer } from './administer.ts'
import { addPaging, type PagingOptions, pagingOf, printPage, readTime } from './list-options.ts'

type Options = PagingOptions & {
  readonly way?: Way
  readonly clientId?: string
  readonly source?: string
  readonly since?: Milliseconds
  readonly before?: Milliseconds
}

const COLUMNS = ['minute', 'way', 'client_id', 'source', 'count']

const filtersOf = ({ way, clientId, source, since, before }: Options): RefusalFilters => ({
  way: way ?? null,
  clientId: clientId ?? null,
  source: source ?? null,
  since: since ?? null,
  before: before ?? null,
})

const run = async (options: Options): Promise<void> => {
  const request = { filters: filtersOf(options), ...pagingOf(options) }
  const page = await administer((ports, { caller }) => listRefusals(ports, caller, request))
  printPage({ page, columns: COLUMNS, format: refusalRecord }, options.json ?? false)
}

export const addListRefusals = (audit: Command): void => {
  const list = audit
    .command('refusals')
    .description('print how often authentication was refused, by minute, newest first')
    .addOption(new Option('--way <way>', 'only attempts as a client, by API key, or as an operator').choices(WAYS))
    .option('--client-id <id>', 'only attempts as this client')
    .option('--source <address>', 'only attempts from this address')
    .option('--since <time>', 'only minutes that began then or later', readTime)
    .option('--before <time>', 'only minutes that began earlier', readTime)
  addPaging(list)
    .option('--json', 'print {"data":[…],"next_cursor":…} as GET /api/v1/audit/refusals answers it')
    .addHelpText('after', '\nExample:\n  mintmark audit refusals --way client --limit 20')
    .action(run)
}
