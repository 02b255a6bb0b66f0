// Clients that come from another server, and what is taken out, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

await testOnPostgres(
  ['contract/admin', ['import-clients', 'import-documents', 'import-effects', 'import-lane', 'exports']],
  ['contract/clients', ['imported-secrets', 'imported-secrets-flood']],
)
