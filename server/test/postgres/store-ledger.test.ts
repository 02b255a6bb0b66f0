// Tokens and what ends them, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

const ENDING = ['cut-offs', 'cut-off-slots', 'endings-order', 'leaked-secrets', 'revocations']

await testOnPostgres(['store', ['tokens', ...ENDING, 'limits-live', 'limits-rate', 'proofs']])
