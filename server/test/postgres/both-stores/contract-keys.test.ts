// What is published and signed, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

await testOnPostgres(
  ['contract/oauth', ['publish-keys', 'signed-introspection', 'signed-introspection-keys']],
  ['contract/admin', ['restricted-lists']],
)
