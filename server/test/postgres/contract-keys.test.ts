// What is published and signed, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

await testOnPostgres([
  'contract',
  ['publish-keys', 'signed-introspection', 'signed-introspection-keys', 'restricted-lists'],
])
