// Both lists and the audit log, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

await testOnPostgres('store', ['agent-labels', 'history-issued', 'audit-list', 'lists-cost', 'lists-instants'])
await testOnPostgres('store', ['lists-brute-force', 'lists-stability'])
