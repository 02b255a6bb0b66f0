// What a page of either list costs, and of the audit log, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

await testOnPostgres(['store/lists', ['history-issued', 'history-mixed', 'audit-list', 'lists-cost', 'agent-labels']])
