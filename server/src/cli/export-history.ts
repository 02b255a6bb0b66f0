// mintmark token export-history
import type { Command } from 'commander'
import { type ExportOptions, exports } from './export-records.ts'
import { addHistoryFilters, type HistoryFilterOptions, historyFiltersOf } from './list-options.ts'

export const addExportHistory = (token: Command): void =>
  exports<HistoryFilterOptions & ExportOptions>(
    addHistoryFilters(
      token.command('export-history').description('write all tokens that have ended, latest end first'),
    ),
    {
      path: '/api/v1/exports/history',
      queryOf: historyFiltersOf,
      examples: ['mintmark token export-history --ended-after 2026-11-01T00:00:00Z --output history.ndjson'],
    },
  )
