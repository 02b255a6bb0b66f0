// Hostile text, and groups with a bad member, on PostgreSQL.
import { runOnPostgres } from '../../suites/run-files.ts'

await runOnPostgres(
  ['contract/wire', ['hostile-claims', 'hostile-json', 'hostile-text']],
  ['contract/oauth', ['spoiled-groups']],
)
