// The contract on the wire, on PostgreSQL.
import { runOnPostgres } from '../../suites/run-files.ts'

await runOnPostgres(
  ['contract/oauth', ['issue-tokens', 'issue-tokens-together', 'introspect-tokens', 'revoke-token']],
  [
    'contract/admin',
    [
      'show-token',
      'list-tokens',
      'list-history',
      'create-revocation',
      'agents',
      'agent-limits',
      'api-keys',
      'credentials',
      'idempotency-key',
      'leaked-secrets',
    ],
  ],
  ['contract/tokens', ['count-tokens', 'explain-token', 'explain-text', 'revocation-plans']],
  ['contract/clients', ['dpop']],
  ['contract/wire', ['check-health']],
)
