// What else of the store runs on PostgreSQL.
import { runOnPostgres } from '../../suites/run-files.ts'
import { filesAt, STORE } from './on-postgres.ts'

await runOnPostgres(...filesAt(Object.values(STORE).flat()))
