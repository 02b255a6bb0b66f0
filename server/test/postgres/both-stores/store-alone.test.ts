// What is done to a whole database, and the seals of its service, on PostgreSQL.
import { runOnPostgres } from '../../suites/run-files.ts'

await runOnPostgres(['store/offline', ['reencrypt']], ['store/audit', ['sealer']])
