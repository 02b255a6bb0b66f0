// mintmark audit refusals
import { type Command, Option } from 'commander'
import { WAYS } from '../../../api/values/audit.ts'
import { defineAdminCommand } from './administer.ts'
import { addPaging, type PagingOptions, pagingOf, readTime } from './list-options.ts'
import { showPageAt } from './read-list.ts'

type Options = PagingOptions & {
  readonly way?: string
  readonly clientId?: string
  readonly source?: string
  readonly since?: string
  readonly before?: string
}

const COLUMNS = ['minute', 'way', 'client_id', 'source', 'count']

const queryOf = (options: Options) => {
  const { way, clientId, source, since, before } = options
  return { way, client_id: clientId, source, since, before, ...pagingOf(options) }
}

export const addListRefusals = (audit: Command): void => {
  const command = audit
    .command('refusals')
    .description('print how often authentication was refused, and tokens beyond a limit, by minute, newest first')
    .addOption(
      new Option('--way <way>', 'only attempts as a client, by API key, as an operator, or beyond a limit').choices(
        WAYS,
      ),
    )
    .option('--client-id <id>', 'only attempts as this client')
    .option('--source <address>', 'only attempts from this address')
    .option('--since <time>', 'only minutes that began then or later', readTime)
    .option('--before <time>', 'only minutes that began earlier', readTime)
  defineAdminCommand<Options>(addPaging(command), {
    json: 'print {"data":[…],"next_cursor":…} as GET /api/v1/audit/refusals answers it',
    examples: ['mintmark audit refusals --way client --limit 20', 'mintmark audit refusals --way limit'],
    run: ({ api, options }) =>
      showPageAt(api, { path: '/api/v1/audit/refusals', query: queryOf(options), columns: COLUMNS }),
  })
}
