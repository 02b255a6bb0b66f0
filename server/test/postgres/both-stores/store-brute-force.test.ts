// Both lists against brute force, on PostgreSQL.
import { runOnPostgres } from '../../suites/run-files.ts'

await runOnPostgres(['store/lists', ['lists-brute-force', 'lineage-brute-force', 'lists-instants', 'lists-stability']])
