// Both lists against brute force, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

await testOnPostgres(['store/lists', ['lists-brute-force', 'lists-instants', 'lists-stability']])
