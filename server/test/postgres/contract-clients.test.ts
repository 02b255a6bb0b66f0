// Clients with certificates and with assertions, and a flood of forged JWTs, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

await testOnPostgres([
  'contract',
  ['certificate-bound', 'certificate-clients', 'client-assertions', 'client-certificates', 'operator-flood'],
])
