// mintmark token export
import type { Command } from 'commander'
import { type ExportOptions, exports } from './export-records.ts'
import { addTokenFilters, type TokenFilterOptions, tokenFiltersOf } from './list-options.ts'

export const addExportTokens = (token: Command): void =>
  exports<TokenFilterOptions & ExportOptions>(
    addTokenFilters(token.command('export').description('write all tokens that are active now, newest first')),
    {
      path: '/api/v1/exports/tokens',
      queryOf: tokenFiltersOf,
      examples: ['mintmark token export --format csv --output tokens.csv', 'mintmark token export --scope db:write'],
    },
  )
