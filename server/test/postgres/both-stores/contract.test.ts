// What of the contract runs on PostgreSQL.
import { runOnPostgres } from '../../suites/run-files.ts'
import { CONTRACT, filesAt } from './on-postgres.ts'

await runOnPostgres(...filesAt(Object.values(CONTRACT).flat()))
