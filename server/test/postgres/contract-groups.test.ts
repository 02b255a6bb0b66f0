// Groups with a bad member, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

await testOnPostgres(['contract', ['spoiled-groups']])
