// What the store knows of agents, their secrets and API keys, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

const AGENTS = ['agents', 'change-agent', 'change-agent-ends', 'count-tokens', 'delete-agent', 'list-agents']
const API_KEYS = ['api-keys', 'api-keys-expiry']

await testOnPostgres([
  'store',
  [...AGENTS, ...API_KEYS, 'credentials', 'idempotency', 'imports', 'last-uses', 'restore-in-place'],
])
