// mintmark token list
import type { Command } from 'commander'
import { formatRecord } from '../domain/format-token.ts'
import { listTokens } from '../operations/list-tokens.ts'
import { administer } from './administer.ts'
import { addListOptions, type ListOptions, pagingOf, printPage, tokenFiltersOf } from './list-options.ts'

const COLUMNS = ['id', 'agent_id', 'scope', 'issued_at', 'expires_at']

const run = async (options: ListOptions): Promise<void> => {
  const request = { filters: tokenFiltersOf(options), ...pagingOf(options) }
  const page = await administer((ports, { caller }) => listTokens(ports, caller, request))
  printPage({ page, columns: COLUMNS, format: formatRecord }, options.json ?? false)
}

export const addListTokens = (token: Command): void => {
  addListOptions(token.command('list'))
    .description('list the tokens that are active now, newest first')
    .option('--json', 'print {"data":[…],"next_cursor":…} as GET /api/v1/tokens answers it')
    .addHelpText('after', '\nExample:\n  mintmark token list --scope db:write --limit 20')
    .action(run)
}
