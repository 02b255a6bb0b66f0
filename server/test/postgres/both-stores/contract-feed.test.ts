// The revocation feed on the wire, on PostgreSQL.
import { runOnPostgres } from '../../suites/run-files.ts'

await runOnPostgres([
  'contract/oauth',
  [
    'revocation-feed',
    'revocation-feed-acts',
    'revocation-feed-followers',
    'revocation-feed-order',
    'revocation-feed-stream',
  ],
])
