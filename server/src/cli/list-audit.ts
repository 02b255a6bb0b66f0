// mintmark audit list
import type { Command } from 'commander'
import { defineAdminCommand } from './administer.ts'
import { addAuditFilters, type AuditFilterOptions, auditFiltersOf } from './audit-filters.ts'
import { addPaging, type PagingOptions, pagingOf } from './list-options.ts'
import { showPageAt } from './read-list.ts'

const COLUMNS = ['n', 'at', 'kind', 'actor', 'subject', 'source']

export const addListAudit = (audit: Command): void => {
  const command = audit.command('list').description('print the audit log, newest first')
  defineAdminCommand<AuditFilterOptions & PagingOptions>(addPaging(addAuditFilters(command)), {
    json: 'print {"data":[…],"next_cursor":…} as GET /api/v1/audit answers it',
    examples: ['mintmark audit list --kind agent.disable --since 2026-11-21T00:00:00Z'],
    run: ({ api, options }) => {
      const query = { ...auditFiltersOf(options), ...pagingOf(options) }
      return showPageAt(api, { path: '/api/v1/audit', query, columns: COLUMNS })
    },
  })
}
