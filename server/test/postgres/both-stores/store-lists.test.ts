// What a page of either list costs, and of the audit log, on PostgreSQL.
import { runOnPostgres } from '../../suites/run-files.ts'

await runOnPostgres(['store/lists', ['history-issued', 'history-mixed', 'audit-list', 'lists-cost', 'agent-labels']])
