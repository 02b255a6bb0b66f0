// Clients that come from another server, and what is taken out, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

await testOnPostgres([
  'contract',
  [
    'import-clients',
    'import-documents',
    'import-effects',
    'import-lane',
    'imported-secrets',
    'imported-secrets-flood',
    'exports',
  ],
])
