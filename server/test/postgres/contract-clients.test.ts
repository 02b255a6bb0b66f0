// Clients with certificates and with assertions, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

await testOnPostgres([
  'contract',
  ['certificate-bound', 'certificate-clients', 'client-assertions', 'client-certificates'],
])
