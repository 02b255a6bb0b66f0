// Tokens and what ends them, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

await testOnPostgres('store', ['tokens', 'cut-offs', 'endings-order', 'leaked-secrets', 'limits-live', 'limits-rate'])
await testOnPostgres('store', ['proofs', 'revocations'])
