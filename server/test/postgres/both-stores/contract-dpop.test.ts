// Proofs of possession and identities of workloads, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

await testOnPostgres(['contract/clients', ['dpop-checks', 'dpop-clients', 'workload-identity']])
