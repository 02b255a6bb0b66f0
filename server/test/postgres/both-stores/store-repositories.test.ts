// The repositories of agents, their secrets and API keys, on PostgreSQL.
import { runOnPostgres } from '../../suites/run-files.ts'

await runOnPostgres(
  [
    'store/repositories',
    [
      'agents',
      'change-agent',
      'change-agent-ends',
      'delete-agent',
      'api-keys',
      'api-keys-expiry',
      'credentials',
      'imports',
    ],
  ],
  ['store/lists', ['count-tokens', 'list-agents']],
  ['store/ledger', ['idempotency', 'last-uses']],
  ['store/offline', ['restore-in-place', 'sessions']],
  ['store/usage', ['agent-usage', 'token-uses', 'usage-series']],
)
