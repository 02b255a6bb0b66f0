// mintmark audit export
import type { Command } from 'commander'
import { addAuditFilters, type AuditFilterOptions, auditFiltersOf } from './audit-filters.ts'
import { type ExportOptions, exports } from './export-records.ts'

export const addExportAudit = (audit: Command): void =>
  exports<AuditFilterOptions & ExportOptions>(
    addAuditFilters(audit.command('export').description('write the audit log, newest first')),
    {
      path: '/api/v1/exports/audit',
      queryOf: auditFiltersOf,
      examples: ['mintmark audit export --since 2026-11-01T00:00:00Z --format csv --output audit.csv'],
    },
  )
