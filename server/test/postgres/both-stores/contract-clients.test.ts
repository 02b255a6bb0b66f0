// Clients with certificates and with assertions, and a flood of forged JWTs, on PostgreSQL.
import { runOnPostgres } from '../../suites/run-files.ts'

await runOnPostgres([
  'contract/clients',
  ['certificate-bound', 'certificate-clients', 'client-assertions', 'client-certificates'],
])
