// Clients that come from another server, and what is taken out, on PostgreSQL.
import { runOnPostgres } from '../../suites/run-files.ts'

await runOnPostgres(
  ['contract/admin', ['import-clients', 'import-documents', 'import-effects', 'one-import-at-a-time', 'exports']],
  ['contract/clients', ['imported-secrets']],
)
