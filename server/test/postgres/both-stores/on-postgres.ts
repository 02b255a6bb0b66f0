// Which tests run on PostgreSQL too, and why: what is the same code on both stores is tested on SQLite.
import type { StorePorts } from '../../../src/store/store-ports.ts'
import type { TestFiles } from '../../suites/run-files.ts'

/** What a store does beside its ports. */
type Beside = 'restores' | 'facts' | 'auditSealsUnder' | 'settle'

/** Each port of the store, with the one file that both stores must pass. */
export const CONFORMANCE: Readonly<Record<Exclude<keyof StorePorts, Beside>, string>> = {
  ledger: 'store/ledger/tokens',
  revocations: 'store/ledger/revocations',
  agents: 'store/repositories/agents',
  apiKeys: 'store/repositories/api-keys',
  credentials: 'store/repositories/credentials',
  leakedSecrets: 'store/repositories/leaked-secrets',
  dryRuns: 'store/ledger/dry-runs',
  imports: 'store/repositories/imports',
  managed: 'contract/clients/managed-records',
  issuers: 'store/repositories/issuers',
  signingKeys: 'store/signing-keys/signing-keys',
  audit: 'store/audit/audit',
  health: 'contract/wire/check-health',
  usage: 'store/usage/agent-usage',
  feed: 'store/feed/facts',
  verifiers: 'store/feed/verifiers',
  sessions: 'contract/console/session-life',
}

/** What else runs there, by the code of `store/postgres` that it covers, or what a database does in its own way. */
export const STORE: Readonly<Record<string, readonly string[]>> = {
  'partitions, and rows that move between them: whatever happens, both lists are the model’s': [
    'store/lists/lists-brute-force',
    'store/lists/lineage-brute-force',
    'store/lists/history-mixed',
    'store/lists/lists-stability',
    'store/lists/rare-tokens',
  ],
  'hot/insert-plain: limits and used proofs are decided by the insert’s own `where`': [
    'store/ledger/limits-live',
    'store/ledger/proofs',
  ],
  'writer/jobs: descendants end beside inserts that take no lock': ['store/ledger/lineage'],
  'statements that only PostgreSQL checks the types of': [
    'store/audit/refusals',
    'store/audit/sealer',
    'store/feed/feed-history',
    'store/ledger/idempotency',
    'store/ledger/last-uses',
    'store/lists/agent-labels',
    'store/lists/list-agents',
    'store/lists/search-agents',
    'store/offline/sessions',
    'store/repositories/change-agent',
    'store/repositories/delete-agent',
    'store/usage/refusals',
    'store/usage/token-uses',
    'store/usage/usage-series',
  ],
  'offline/postgres: one program alone, beside others that are connected': [
    'store/offline/reencrypt',
    'store/offline/restore-in-place',
  ],
  'text that a database refuses, and what that does to its group': [
    'store/ledger/unstorable-text',
    'store/sqlite/spoiled-commits',
  ],
}

export const CONTRACT: Readonly<Record<string, readonly string[]>> = {
  'hot/hot-ledger, hot/batched-lookup: what the service answers most': [
    'contract/oauth/issue-tokens',
    'contract/oauth/introspect-tokens',
    'contract/oauth/revoke-token',
    'contract/oauth/exchange-tokens',
    'contract/oauth/exchange-races',
    'contract/admin/create-revocation',
  ],
  'hot/read-feed-page, hot/read-signing-key': [
    'contract/oauth/revocation-feed',
    'contract/oauth/revocation-feed-order',
  ],
  'statements that only PostgreSQL checks the types of': [
    'contract/admin/list-audit',
    'contract/admin/restricted-lists',
    'contract/admin/show-delegation',
    'contract/console/session-renewal',
    'contract/console/sign-ins-beside',
    'contract/oauth/report-position',
    'contract/tokens/count-tokens',
    'contract/tokens/explain-token',
    'contract/tokens/names',
  ],
  'text that a database refuses, in every part of every operation': [
    'contract/oauth/spoiled-groups',
    'contract/wire/hostile-text',
  ],
  'text in the order of a language, which compares otherwise than its bytes': ['contract/admin/list-agents'],
}

/** The same in a database that compares text by its bytes itself. */
export const IN_C: readonly string[] = [
  'contract/admin/list-agents',
  'contract/admin/idempotency-key',
  'contract/clients/workload-identity',
]

/** As the runner of suites takes them. */
export const filesAt = (paths: readonly string[]): readonly TestFiles[] =>
  paths.map(path => {
    const cut = path.lastIndexOf('/')
    return [path.slice(0, cut), [path.slice(cut + 1)]]
  })
