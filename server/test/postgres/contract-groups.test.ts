// Hostile text, and groups with a bad member, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

await testOnPostgres(['contract', ['hostile-claims', 'hostile-text', 'spoiled-groups']])
