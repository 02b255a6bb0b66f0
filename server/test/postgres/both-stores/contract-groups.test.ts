// Hostile text, and groups with a bad member, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

await testOnPostgres(['contract/wire', ['hostile-claims', 'hostile-text']], ['contract/oauth', ['spoiled-groups']])
