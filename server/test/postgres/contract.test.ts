// The contract on the wire, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

const TOKENS = ['issue-tokens', 'issue-tokens-together', 'introspect-tokens', 'revoke-token', 'show-token', 'dpop']
const LISTS = ['list-tokens', 'list-history', 'create-revocation', 'check-health', 'access']
const REPOSITORIES = ['agents', 'agent-limits', 'api-keys', 'credentials', 'idempotency-key', 'leaked-secrets']

await testOnPostgres(['contract', [...TOKENS, ...LISTS, ...REPOSITORIES]])
