// Proofs of possession and identities of workloads, on PostgreSQL.
import { runOnPostgres } from '../../suites/run-files.ts'

await runOnPostgres(['contract/clients', ['dpop-checks', 'dpop-clients', 'workload-identity']])
