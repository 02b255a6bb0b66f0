// mintmark token list
import type { Command } from 'commander'
import { administers } from './administer.ts'
import { addListOptions, type ListOptions, listQueryOf } from './list-options.ts'
import { showPage } from './read-list.ts'

const COLUMNS = ['id', 'agent_id', 'scope', 'issued_at', 'expires_at']

export const addListTokens = (token: Command): void => {
  const command = token.command('list').description('list the tokens that are active now, newest first')
  administers<ListOptions>(addListOptions(command), {
    json: 'print {"data":[…],"next_cursor":…} as GET /api/v1/tokens answers it',
    examples: ['mintmark token list --scope db:write --limit 20'],
    run: ({ api, options }) => showPage(api, { path: '/api/v1/tokens', query: listQueryOf(options), columns: COLUMNS }),
  })
}
