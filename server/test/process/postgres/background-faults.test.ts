// Faults of background work, and outages beside it, on PostgreSQL.
import { runOnPostgres } from '../../suites/run-files.ts'

await runOnPostgres(['process/faults', ['background-work', 'background-outage']])
