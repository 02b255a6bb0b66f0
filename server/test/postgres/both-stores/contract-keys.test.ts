// What is published and signed, on PostgreSQL.
import { runOnPostgres } from '../../suites/run-files.ts'

await runOnPostgres(
  [
    'contract/oauth',
    ['publish-keys', 'signed-introspection', 'signed-introspection-keys', 'verifiers', 'report-position'],
  ],
  ['contract/admin', ['restricted-lists']],
  ['contract/clients', ['revoke-selected']],
)
