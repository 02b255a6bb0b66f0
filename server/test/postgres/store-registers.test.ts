// What the store knows of agents, their secrets and API keys, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

await testOnPostgres('store', [
  'agents',
  'api-keys',
  'api-keys-expiry',
  'change-agent',
  'change-agent-ends',
  'credentials',
])
await testOnPostgres('store', [
  'count-tokens',
  'delete-agent',
  'idempotency',
  'imports',
  'last-uses',
  'list-agents',
  'restore-in-place',
])
