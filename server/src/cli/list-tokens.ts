// mintmark token list
import type { Command } from 'commander'
import { defineAdminCommand } from './administer.ts'
import {
  addPaging,
  addTokenFilters,
  type PagingOptions,
  pagingOf,
  type TokenFilterOptions,
  tokenFiltersOf,
} from './list-options.ts'
import { showPageAt } from './read-list.ts'

type Options = TokenFilterOptions & PagingOptions

const COLUMNS = ['id', 'agent_id', 'scope', 'issued_at', 'expires_at']

export const addListTokens = (token: Command): void => {
  const command = token.command('list').description('list the tokens that are active now, newest first')
  defineAdminCommand<Options>(addPaging(addTokenFilters(command)), {
    json: 'print {"data":[…],"next_cursor":…} as GET /api/v1/tokens answers it',
    examples: ['mintmark token list --scope db:write --limit 20'],
    run: ({ api, options }) => {
      const query = { ...tokenFiltersOf(options), ...pagingOf(options) }
      return showPageAt(api, { path: '/api/v1/tokens', query, columns: COLUMNS })
    },
  })
}
