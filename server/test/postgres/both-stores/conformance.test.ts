// Each port of the store, on PostgreSQL.
import { runOnPostgres } from '../../suites/run-files.ts'
import { CONFORMANCE, filesAt } from './on-postgres.ts'

await runOnPostgres(...filesAt(Object.values(CONFORMANCE)))
