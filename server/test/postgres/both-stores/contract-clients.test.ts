// Clients with certificates and with assertions, and a flood of forged JWTs, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

await testOnPostgres(
  ['contract/clients', ['certificate-bound', 'certificate-clients', 'client-assertions', 'client-certificates']],
  ['contract/oauth', ['operator-flood']],
)
