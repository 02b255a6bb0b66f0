// Tokens and what ends them, on PostgreSQL.
import { runOnPostgres } from '../../suites/run-files.ts'

await runOnPostgres(
  [
    'store/ledger',
    [
      'tokens',
      'lineage',
      'wide-tree',
      'cut-offs',
      'cut-off-slots',
      'endings-order',
      'explanations',
      'revocations',
      'unstorable-text',
      'limits-live',
      'limits-rate',
      'facts',
      'proofs',
    ],
  ],
  ['store/feed', ['facts', 'feed-history', 'verifiers']],
  ['store/repositories', ['leaked-secrets']],
  ['store/sqlite', ['spoiled-commits']],
)
