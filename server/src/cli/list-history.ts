// mintmark token history
import type { Command } from 'commander'
import { defineAdminCommand } from './administer.ts'
import {
  addHistoryFilters,
  addPaging,
  type HistoryFilterOptions,
  historyFiltersOf,
  type PagingOptions,
  pagingOf,
} from './list-options.ts'
import { showPageAt } from './read-list.ts'

type Options = HistoryFilterOptions & PagingOptions

const COLUMNS = ['id', 'agent_id', 'termination_reason', 'ended_at', 'note']

export const addListHistory = (token: Command): void => {
  const command = token
    .command('history')
    .description('list the tokens that have ended, by whatever cause, latest end first')
  defineAdminCommand<Options>(addPaging(addHistoryFilters(command)), {
    json: 'print {"data":[…],"next_cursor":…} as GET /api/v1/tokens/history answers it',
    examples: ['mintmark token history --reason manual_revocation,agent_disabled'],
    run: ({ api, options }) => {
      const query = { ...historyFiltersOf(options), ...pagingOf(options) }
      return showPageAt(api, { path: '/api/v1/tokens/history', query, columns: COLUMNS })
    },
  })
}
